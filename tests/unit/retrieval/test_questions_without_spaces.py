"""Questions in Japanese and Chinese, where nothing parts a name or a topic from the grammar."""

# ruff: noqa: RUF001  the question mark of these languages
from collections.abc import Iterator

import pytest

from simonides import Memory, Person, Plan, Settings

NOW = "2026-03-12T09:00:00Z"
OWNER = Person(name="佐藤美咲", address="misaki@nifty.example", role="to")
MAILS = (
    ("daisuke", "佐藤大輔", "d.sato@tokai.example", "来週は大阪出張になった。", "2026-03-11"),
    ("hayashi", "林 由美", "yumi@pta.example", "広報委員をお願いできますか。", "2026-03-04"),
    ("bank", "港南銀行", "info@konan.example", "口座の確認をお願いします。", "2026-03-03"),
    ("zheng", "郑凯", "kai@yunshan.example", "方案周五之前发我。", "2026-03-10"),
    ("minji", "강민지", "mj@namsaek.example", "렌터카는 경차로 하자.", "2026-03-05"),
    ("park", "박상훈", "sh@neulsol.example", "빗물정원 의견 좀 줘요.", "2026-03-06"),
    ("shen", "沈佳琪", "jq@yunshan.example", "主图出了三版。", "2026-03-11"),
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory(":memory:", settings=Settings(embedder="none", timezone="UTC")) as opened:
        opened.set_owner(OWNER.name, OWNER.address)
        for id_, name, address, text, day in MAILS:
            people = [Person(name=name, address=address), OWNER]
            opened.add(text, id=id_, kind="email", source="mail", people=people, happened_at=day)
        for id_, text, is_open in (("tax", "確定申告を提出する", True), ("bin", "粗大ごみ", False)):
            metadata = {"open": is_open, "due": "2026-03-09"}
            opened.add(text, id=id_, kind="task", source="todo", metadata=metadata)
        opened.add("自転車置き場の鍵の番号は 7316", id="key", kind="document", source="note")
        opened.add("ヨガ", id="yoga", kind="event", source="calendar", happened_at="2026-03-14")
        opened.add("会議", id="meet", kind="event", source="calendar", happened_at="2026-03-18")
        yield opened


def ids(memory: Memory, question: str) -> list[str]:
    return [item.id for item in memory.brief(question, now=NOW).items]


def plan(memory: Memory, question: str) -> Plan:
    return memory.search(question, now=NOW).plan


@pytest.mark.parametrize(
    ("question", "address"),
    [
        ("大輔は何て書いてきた？", "d.sato@tokai.example"),
        ("林さんからのメール", "yumi@pta.example"),
        ("佳琪说了什么", "jq@yunshan.example"),
        ("我给郑总回了什么", "kai@yunshan.example"),
        ("小郑发了什么", "kai@yunshan.example"),
        ("민지언니가 뭐라고 했어", "mj@namsaek.example"),
        ("박과장님이 보낸 메일", "sh@neulsol.example"),
    ],
)
def test_a_part_of_a_name_means_its_person(memory: Memory, question: str, address: str) -> None:
    assert f"person:{address}" in plan(memory, question).people


def test_the_end_of_an_office_means_nobody(memory: Memory) -> None:
    assert plan(memory, "銀行はどこ？").people == ()


@pytest.mark.parametrize(
    ("question", "role"),
    [
        ("大輔は何て言ってた？", "author"), ("大輔から何か来た？", "author"),
        ("大輔に何を送ったっけ", "to"), ("郑凯说了什么", "author"), ("我给郑总写了什么", "to"),
        ("郑凯给我发了什么", "author"), ("大輔の誕生日", None), ("민지가 뭐라고 했어", "author"),
        ("박과장님한테서 온 메일", "author"), ("박과장님한테 뭐라고 답장했지", "to"),
        ("민지언니 생일이 언제예요", None),
    ],
)  # fmt: skip
def test_particles_and_verbs_say_who_spoke(memory: Memory, question: str, role: str | None) -> None:
    assert plan(memory, question).role == role


def test_all_that_somebody_wrote_needs_no_further_word(memory: Memory) -> None:
    assert plan(memory, "大輔は何て書いてきた？").searched == ""
    assert plan(memory, "沈佳琪的邮件说了啥？").searched == ""
    assert plan(memory, "大輔は出張について何て書いてきた？").searched != ""


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("期限切れのタスクある？", ["tax"]), ("終わったタスクは？", ["bin"]),
        ("まだやらないといけないことは？", ["tax"]), ("哪些任务已经过期了", ["tax"]),
        ("已完成的待办", ["bin"]), ("我还有什么没做完的事？", ["tax"]),
    ],
)  # fmt: skip
def test_tasks_in_a_state(memory: Memory, question: str, found: list[str]) -> None:
    assert ids(memory, question) == found


@pytest.mark.parametrize("question", ["土曜日の予定は？", "土曜日はなにがあるっけ", "周六有啥活动"])
def test_an_agenda_holds_its_day_alone(memory: Memory, question: str) -> None:
    assert ids(memory, question) == ["yoga"]


@pytest.mark.parametrize("question", ["昨日届いたメール", "昨天收到了哪些邮件？"])
def test_the_mails_of_a_day_are_a_list(memory: Memory, question: str) -> None:
    assert set(ids(memory, question)) == {"daisuke", "shen"}


@pytest.mark.parametrize("question", ["自転車置き場の鍵番号は何番だっけ？", "鍵の番号いくつ"])
def test_grammar_is_no_part_of_what_is_looked_for(memory: Memory, question: str) -> None:
    found = memory.search(question, now=NOW)

    assert found.hits[0].id == "key"
    assert not found.nothing


def test_what_is_not_there_is_said_not_to_be(memory: Memory) -> None:
    assert memory.search("パスポートはいつまで有効ですか", now=NOW).nothing
    assert memory.search("我的驾照什么时候到期？", now=NOW).nothing
