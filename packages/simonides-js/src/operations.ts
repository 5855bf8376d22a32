// Made by scripts/typescript_client.py; do not edit. `make js` makes it anew.
import { Client } from "./client.js";
import type { Options, Query, Schemas, UploadFields } from "./types.js";

/** A method for each route of the server. */
export class Operations extends Client {
  /** Search for a question; return the hits, best first, each with its explanation. */
  search(body: Schemas["SearchRequest"], options: Options = {}) {
    return this.request("POST", "/v1/search", { ...options, body });
  }

  /** Return what was said over time of what is asked for, and what changed. */
  story(body: Schemas["StoryRequest"], options: Options = {}) {
    return this.request("POST", "/v1/story", { ...options, body });
  }

  /** Return the context for a question, within a hard budget, with a receipt. */
  brief(body: Schemas["BriefRequest"], options: Options = {}) {
    return this.request("POST", "/v1/brief", { ...options, body });
  }

  /** Explain a brief, and list the items that a larger budget would add. */
  explain(body: Schemas["ExplainRequest"], options: Options = {}) {
    return this.request("POST", "/v1/explain", { ...options, body });
  }

  /** List the stored receipts, last kept first. */
  receipts(query: Query<"GET", "/v1/receipts"> = {}, options: Options = {}) {
    return this.request("GET", "/v1/receipts", { ...options, query });
  }

  /** Rebuild a brief from its receipt, byte for byte, or list what is missing. */
  replay(body: Schemas["ReplayRequest"], options: Options = {}) {
    return this.request("POST", "/v1/replay", { ...options, body });
  }

  /** Return the differences between the briefs of two receipts, with reasons. */
  diff(body: Schemas["DiffRequest"], options: Options = {}) {
    return this.request("POST", "/v1/diff", { ...options, body });
  }

  /** Send a message to the assistant; both messages are stored in the session. */
  chat(body: Schemas["ChatRequest"], options: Options = {}) {
    return this.request("POST", "/v1/chat", { ...options, body });
  }

  /** Search items and conversations together, as a chat turn does. */
  retrieve(body: Schemas["RetrieveRequest"], options: Options = {}) {
    return this.request("POST", "/v1/retrieve", { ...options, body });
  }

  /** List what takes place and what is due between two times, by time. */
  agenda(query: Query<"GET", "/v1/agenda"> = {}, options: Options = {}) {
    return this.request("GET", "/v1/agenda", { ...options, query });
  }

  /** List items, newest first, one page at a time. */
  list(query: Query<"GET", "/v1/items"> = {}, options: Options = {}) {
    return this.request("GET", "/v1/items", { ...options, query });
  }

  /** Count items by source, kind, collection, person, month, and a metadata key. */
  counts(body: Schemas["CountRequest"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/counts", { ...options, body });
  }

  /** Add an item, or several in one transaction; durable when it is answered. */
  add(body: Schemas["AddRequest"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/items", { ...options, body });
  }

  /** Return one item. */
  get(id: string, query: Query<"GET", "/v1/items/{id}"> = {}, options: Options = {}) {
    return this.request("GET", "/v1/items/{id}", { ...options, params: { id }, query });
  }

  /** Replace some fields of an item. */
  update(id: string, body: Schemas["UpdateRequest"] = {}, options: Options = {}) {
    return this.request("PATCH", "/v1/items/{id}", { ...options, params: { id }, body });
  }

  /** Forget an item: no search finds it any more; `restore` brings it back. */
  forget(id: string, query: Query<"DELETE", "/v1/items/{id}"> = {}, options: Options = {}) {
    return this.request("DELETE", "/v1/items/{id}", { ...options, params: { id }, query });
  }

  /** Return every stored version of an item. */
  history(id: string, options: Options = {}) {
    return this.request("GET", "/v1/items/{id}/history", { ...options, params: { id } });
  }

  /** Restore a forgotten item, or an earlier version, as a new version. */
  restore(id: string, body: Schemas["RestoreItem"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/items/{id}/restore", { ...options, params: { id }, body });
  }

  /** Record that items were used, cited or opened. */
  recordUsage(body: Schemas["RecordUsage"], options: Options = {}) {
    return this.request("POST", "/v1/record-usage", { ...options, body });
  }

  /** Return how often an item was used, cited and opened, and when last. */
  engagement(id: string, options: Options = {}) {
    return this.request("GET", "/v1/items/{id}/engagement", { ...options, params: { id } });
  }

  /** Remember a statement: add it, supersede what it contradicts, or confirm it. */
  remember(body: Schemas["RememberRequest"], options: Options = {}) {
    return this.request("POST", "/v1/memories", { ...options, body });
  }

  /** Make the vectors that imported items wait for, those of the newest first. */
  embed(body: Schemas["Embed"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/embed", { ...options, body });
  }

  /** Return counts and sizes of the space. */
  stats(options: Options = {}) {
    return this.request("GET", "/v1/stats", { ...options });
  }

  /** Check the whole space against its checksums and its index. */
  verify(body: Schemas["Nothing"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/verify", { ...options, body });
  }

  /** Remove history past its retention, and shrink the file. */
  compact(body: Schemas["Compact"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/compact", { ...options, body });
  }

  /** Erase items, or the whole space, permanently, from every file. */
  erase(body: Schemas["EraseRequest"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/erase", { ...options, body });
  }

  /** Return the ids of the items that an erasure would remove; nothing is erased. */
  previewErase(body: Schemas["PreviewEraseRequest"], options: Options = {}) {
    return this.request("POST", "/v1/preview-erase", { ...options, body });
  }

  /** Check the home and the space quickly: files, checksums, settings, models. */
  doctor(body: Schemas["Nothing"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/doctor", { ...options, body });
  }

  /** List past imports, latest first: what came in, what was skipped and why. */
  importLog(query: Query<"GET", "/v1/import-log"> = {}, options: Options = {}) {
    return this.request("GET", "/v1/import-log", { ...options, query });
  }

  /** Rebuild the file of the space from all readable data. */
  repair(body: Schemas["Nothing"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/repair", { ...options, body });
  }

  /** Make all vectors of the space again with the configured embedder. */
  reembed(body: Schemas["Nothing"] = {}, options: Options = {}) {
    return this.request("POST", "/v1/reembed", { ...options, body });
  }

  /** Return the space of the key, and the other spaces it may read. */
  spaces(options: Options = {}) {
    return this.request("GET", "/v1/spaces", { ...options });
  }

  /** Export all data of the space, every version, as JSON Lines. */
  export(options: Options = {}) {
    return this.raw("GET", "/v1/export", { ...options });
  }

  /** Send a copy of the file of the space, to be kept as a backup. */
  backup(options: Options = {}) {
    return this.raw("GET", "/v1/backup", { ...options });
  }

  /** Return the version of the engine. */
  version(options: Options = {}) {
    return this.request("GET", "/v1/version", { ...options });
  }

  /** Return metrics for Prometheus. */
  metrics(options: Options = {}) {
    return this.raw("GET", "/metrics", { ...options });
  }

  readonly entities = {
    /** List the people, projects and topics mentioned, most frequent first. */
    list: (query: Query<"GET", "/v1/entities"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/entities", { ...options, query }),
    /** Return an entity with its addresses and what it is mentioned with. */
    get: (body: Schemas["GetEntity"], options: Options = {}) =>
      this.request("POST", "/v1/entities/get", { ...options, body }),
    /** Merge entities that are one: all their names mean the first from now on. */
    merge: (body: Schemas["MergeEntities"], options: Options = {}) =>
      this.request("POST", "/v1/entities/merge", { ...options, body }),
    /** Give an entity the name by which it is shown. */
    rename: (body: Schemas["RenameEntity"], options: Options = {}) =>
      this.request("POST", "/v1/entities/rename", { ...options, body }),
    /** Give an entity further names that it answers to. */
    alias: (body: Schemas["AliasEntity"], options: Options = {}) =>
      this.request("POST", "/v1/entities/alias", { ...options, body }),
  };

  readonly background = {
    /** Put a collection's background; earlier ones stay in its history. */
    put: (body: Schemas["PutBackground"], options: Options = {}) =>
      this.request("POST", "/v1/background", { ...options, body }),
    /** Return a collection's background, now or as of a time. */
    get: (query: Query<"GET", "/v1/background"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/background", { ...options, query }),
    /** List a collection's snapshots, latest first. */
    history: (query: Query<"GET", "/v1/background/history"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/background/history", { ...options, query }),
    /** Return the snapshots that best match a question. */
    best: (body: Schemas["MatchBackgrounds"], options: Options = {}) =>
      this.request("POST", "/v1/background/best", { ...options, body }),
    /** Delete a snapshot. */
    delete: (id: string, query: Query<"DELETE", "/v1/background/{id}"> = {}, options: Options = {}) =>
      this.request("DELETE", "/v1/background/{id}", { ...options, params: { id }, query }),
  };

  readonly sessions = {
    /** Start a session; it is listed once its first message is stored. */
    create: (body: Schemas["CreateSession"] = {}, options: Options = {}) =>
      this.request("POST", "/v1/sessions", { ...options, body }),
    /** List the sessions, last used first. */
    list: (query: Query<"GET", "/v1/sessions"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/sessions", { ...options, query }),
    /** Return one session. */
    get: (id: string, options: Options = {}) =>
      this.request("GET", "/v1/sessions/{id}", { ...options, params: { id } }),
    /** List the messages of a session, oldest first. */
    messages: (id: string, query: Query<"GET", "/v1/sessions/{id}/messages"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/sessions/{id}/messages", { ...options, params: { id }, query }),
    /** Return the last messages of a session, oldest first. */
    last: (id: string, query: Query<"GET", "/v1/sessions/{id}/last"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/sessions/{id}/last", { ...options, params: { id }, query }),
    /** Add a message at the end of a session. */
    add: (id: string, body: Schemas["AddMessage"], options: Options = {}) =>
      this.request("POST", "/v1/sessions/{id}/messages", { ...options, params: { id }, body }),
    /** Forget the messages of a session. */
    forget: (id: string, options: Options = {}) =>
      this.request("DELETE", "/v1/sessions/{id}", { ...options, params: { id } }),
  };

  readonly preferences = {
    /** List the preferences, highest confidence first. */
    list: (query: Query<"GET", "/v1/preferences"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/preferences", { ...options, query }),
    /** Return one preference, by its key. */
    get: (id: string, options: Options = {}) =>
      this.request("GET", "/v1/preferences/{id}", { ...options, params: { id } }),
    /** Store a preference that the user stated. */
    set: (id: string, body: Schemas["SetPreference"], options: Options = {}) =>
      this.request("PUT", "/v1/preferences/{id}", { ...options, params: { id }, body }),
    /** Store a preference that was inferred; repetition raises its confidence. */
    infer: (id: string, body: Schemas["SetPreference"], options: Options = {}) =>
      this.request("POST", "/v1/preferences/{id}/infer", { ...options, params: { id }, body }),
    /** Forget a preference. */
    forget: (id: string, options: Options = {}) =>
      this.request("DELETE", "/v1/preferences/{id}", { ...options, params: { id } }),
  };

  readonly proposals = {
    /** Propose memories out of chats and mails, by rules or by the language model. */
    make: (body: Schemas["MakeProposals"] = {}, options: Options = {}) =>
      this.request("POST", "/v1/proposals/make", { ...options, body }),
    /** Propose memories; nothing is remembered until one is accepted. */
    propose: (body: Schemas["ProposeRequest"], options: Options = {}) =>
      this.request("POST", "/v1/proposals", { ...options, body }),
    /** List the proposals, latest first. */
    list: (query: Query<"GET", "/v1/proposals"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/proposals", { ...options, query }),
    /** Return one proposal, with its evidence. */
    get: (id: string, options: Options = {}) =>
      this.request("GET", "/v1/proposals/{id}", { ...options, params: { id } }),
    /** Accept a proposal: remember it by the rules of `remember`. */
    accept: (id: string, body: Schemas["AcceptProposal"] = {}, options: Options = {}) =>
      this.request("POST", "/v1/proposals/{id}/accept", { ...options, params: { id }, body }),
    /** Reject a proposal; it is not proposed again. */
    reject: (id: string, body: Schemas["ProposalId"] = {}, options: Options = {}) =>
      this.request("POST", "/v1/proposals/{id}/reject", { ...options, params: { id }, body }),
    /** Undo a decision; every item gets its former state. */
    undo: (id: string, body: Schemas["ProposalId"] = {}, options: Options = {}) =>
      this.request("POST", "/v1/proposals/{id}/undo", { ...options, params: { id }, body }),
  };

  readonly surrogates = {
    /** Return the summaries of an item: full, gist and micro. */
    get: (id: string, query: Query<"GET", "/v1/surrogates/{id}"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/surrogates/{id}", { ...options, params: { id }, query }),
    /** Write the missing summaries of long items. */
    build: (body: Schemas["BuildSurrogates"] = {}, options: Options = {}) =>
      this.request("POST", "/v1/surrogates/build", { ...options, body }),
  };

  readonly keys = {
    /** Create a key for a space; it is shown only this once. */
    create: (body: Schemas["CreateOwnKeyRequest"] = {}, options: Options = {}) =>
      this.request("POST", "/v1/keys", { ...options, body }),
    /** List the keys without their secrets, including revoked ones. */
    list: (options: Options = {}) =>
      this.request("GET", "/v1/keys", { ...options }),
    /** Revoke a key permanently. */
    revoke: (id: string, options: Options = {}) =>
      this.request("DELETE", "/v1/keys/{id}", { ...options, params: { id } }),
    /** Return a page of the audit log, latest first. */
    audit: (query: Query<"GET", "/v1/audit"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/audit", { ...options, query }),
  };

  readonly memories = {
    /** List the active memories, newest first. */
    list: (query: Query<"GET", "/v1/memories"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/memories", { ...options, query }),
    /** Return one memory. */
    get: (id: string, query: Query<"GET", "/v1/memories/{id}"> = {}, options: Options = {}) =>
      this.request("GET", "/v1/memories/{id}", { ...options, params: { id }, query }),
    /** Return every stored version of a memory. */
    history: (id: string, options: Options = {}) =>
      this.request("GET", "/v1/memories/{id}/history", { ...options, params: { id } }),
    /** Restore an earlier version of a memory, as a new version. */
    restore: (id: string, body: Schemas["RestoreItem"] = {}, options: Options = {}) =>
      this.request("POST", "/v1/memories/{id}/restore", { ...options, params: { id }, body }),
  };

  readonly imports = {
    /** Upload mail, notes, chats or an export of a space; it is imported afterwards. */
    upload: (file: Blob, fields: UploadFields = {}, options: Options = {}) =>
      this.upload("/v1/imports", file, fields, options),
    /** List the imports since the start of the server, latest first. */
    list: (options: Options = {}) =>
      this.request("GET", "/v1/imports", { ...options }),
    /** Return the progress of an import. */
    get: (id: string, options: Options = {}) =>
      this.request("GET", "/v1/imports/{id}", { ...options, params: { id } }),
    /** Cancel an import at once; stored items stay. */
    cancel: (id: string, options: Options = {}) =>
      this.request("DELETE", "/v1/imports/{id}", { ...options, params: { id } }),
  };

  readonly health = {
    /** Answer while the process is running. */
    live: (options: Options = {}) =>
      this.request("GET", "/health/live", { ...options }),
    /** Answer once spaces can be read. */
    ready: (options: Options = {}) =>
      this.request("GET", "/health/ready", { ...options }),
  };
}
