const BETWEEN = /\r?\n\r?\n/;

/** One server-sent event. */
export interface ServerEvent {
  event: string;
  data: string;
}

/** Yield the server-sent events of a response; whoever stops taking them ends it. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent, void> {
  let rest = "";
  for await (const text of textsOf(response)) {
    const blocks = (rest + text).split(BETWEEN);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventOf(block);
      if (event.data) yield event; // without data it is a comment, which keeps proxies from hanging up
    }
  }
}

/** Yield the text of a response. Not every browser can iterate its body. */
async function* textsOf(response: Response): AsyncGenerator<string, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => {}); // it may have failed already, and that was reported
  }
}

function eventOf(block: string): ServerEvent {
  const made = { event: "", data: "" };
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event: ")) made.event = line.slice(7);
    if (line.startsWith("data: ")) made.data += line.slice(6);
  }
  return made;
}
