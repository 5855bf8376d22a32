"""Whole questions and passages, and what they say of time at a glance."""

import pytest
from tests.unit.text.directions import direction_of

from simonides.model.answer import Direction
from simonides.text.dates import asks_when, holds_time


def entries(block: str) -> list[str]:
    return [entry.strip() for line in block.strip().splitlines() for entry in line.split("|")]


ASKS_WHEN = """
When did the boiler break? | When do we meet? | When does the shop open? | When was it painted?
When were you in Porto? | When is the concert? | When are they coming? | When am I free?
When will it rain? | When would she come? | When has he called? | When have we eaten there?
When had they left? | When should I water the fern? | When can I come? | When could it be?
When shall we go? | When must I pay? | When might it end? | When didn't the lift work?
When're we leaving? | When'll it be ready? | When'd you say it was? | When's the party?
When exactly did it start? | When precisely was that? | When else did we go? | When ever was it?
When next is the choir? | When last did I see Tom? | When first did it leak?
Do you know when the lease ends | Can you remember when we moved | I cannot recall when it was
Remind me when the dentist is | Tell me when Eva left | Since when does it leak
Nobody asked when it began | She asks when it begins | Say exactly when it began
Find out when the shop closes | I cannot say when it was | Where and when | Now or when
Until when is it open | By when do they need it | What day is it? | What days suit her?
Which weekday was it? | Which week did we row? | What week was the fair? | In which month was it?
Which months are warm? | What year was the house built? | Which years did we rent?
Which quarter was best? | Which season was that? | Which decade was the song from?
Which century is the church from? | At what hour did it ring? | What was the date of the fair?
What is the date of the fair? | What were the dates of the trip? | On what exact date was it?
What happened first? | Which came first? | Which of them was first? Which was it first?
What did the plumber do first? | How often does it leak? | How frequently do we meet?
How soon can they come? | How recently did I pay? | How early does it open? | How late was it?
How long was the trip? | How many minutes late was it? | How many hours did it take?
How many days remain? | How many weeks did we stay? | How many weekends are free?
How many months is that? | How many quarters went by? | How many years ago did we meet?
How many decades ago was it? | How many times a week do I run? | How many times per month?
How much time did it take? | How many more days? | In which order did we paint the rooms?
In what alphabetical order are they? | Put it in chronological order | Give me a timeline
Show it chronologically | Give the date of the fair | The date when we met
The date on which it was
Say, when? | And when. | So when! | the paint dried when
"""


@pytest.mark.parametrize("text", entries(ASKS_WHEN))
def test_a_question_that_a_time_answers_asks_when(text: str) -> None:
    assert asks_when(text)
    assert asks_when(text.upper())


def test_an_apostrophe_of_a_telephone_asks_as_well() -> None:
    assert asks_when("When\u2019ll the ferry leave?")
    assert asks_when("When didn\u2019t it leave?")


ASKS_ELSE = """
Who was there when it rained? | How many guests came?
How much paint is left? | What colour was the order slip? | Where is the daylight lamp?
Is it timely? | How is the boat? | How far is it? | Who came? | What first aid is there?
the updated list | a hundred dates to eat | How many times? | Which house was older?
The whenever clause | Tell me whenever you like | How oftener
"""


@pytest.mark.parametrize("text", entries(ASKS_ELSE))
def test_a_question_that_a_thing_answers_does_not_ask_when(text: str) -> None:
    assert not asks_when(text)


DATED = """
we met today | see you tonight | tomorrow it rains | a minute ago | ago | sales ytd | at the weekend
by midnight | at noon | at Xmas | at Halloween | before Easter | after Thanksgiving
in june it rained
by july | the nineties | the eighties | the seventies | the sixties | the fifties
several weeks | a past year | couple of days | few hours | one day | two nights and three weeks
twelve months | eleven minutes | nine quarters | one fortnight | three weekends | five decades
Mondays | Tuesdays | Wednesdays | Thursdays | Fridays | Saturdays | Sundays
Monday | Tuesday | Wednesday | Thursday | Friday | Saturday | Sunday
last night | this morning | this quarter | last spring | this autumn | the last few weeks
last 12 days | past few hours | past 3 weekends | previous 2 months | previous year | last decade
next week | next spring | coming winter | coming month | following day | following summer
in spring | in the winter | in fall | during the summer | during may | since autumn | until march
in may it rained | of may | of march | early may | late march | mid may | before march
jan 5 | feb. 12 | mar 1 | apr 3 | jun 9 | jul 8 | aug '24 | sep 1 | sept 2 | oct 31 | nov 5 | dec 6
january | february | april | august | september | october | november | december
new year | Valentine's | o'clock | five o\u2019clock | q1 | in Q4 | 1999 | 2026 | 1980s | 2026-03
2026/03
2026Q1 | 2026t | 10:45 | 9 am | 9p.m. | 10am | 1.2.2026 | 1/2/26 | 3-4-2026
1st of May | 2nd March | 3rd june | 4th Sept | 12 oct | 80s | 12 days | 123456 minutes | 5-may
"""


@pytest.mark.parametrize("text", entries(DATED))
def test_a_note_with_a_time_in_it_holds_time(text: str) -> None:
    assert holds_time(text)
    assert holds_time(f"The fern, {text}, was green.")


UNDATED = """
mondayish | an eastern wind | agog | the agora | lastly | a weekly paper | the daylight | nightly
1899 bricks | 2100 bricks | 21000 | 12.3.4.5 | 1:5 | 9 amps | 9 pmx | 80 sheep | q5 | q10
we may | they march | an old spring | the fall | newer | the novel | the marches
a twelve-year wait | a daydream | her valentin | o clock | decay | 7 mayors
"""


@pytest.mark.parametrize("text", entries(UNDATED))
def test_a_note_that_only_sounds_of_time_holds_none(text: str) -> None:
    assert not holds_time(text)


DIRECTIONS = [
    ("What is the most recent bill?", Direction.NEWEST),
    ("What did the doctor most recently prescribe?", Direction.NEWEST),
    ("Which book did I read last?", Direction.NEWEST),
    ("Show my latest three notes on ferns", Direction.NEWEST),
    ("Which is the newest of the plants?", Direction.NEWEST),
    ("Who first told me of the leak?", Direction.OLDEST),
    ("What was the earliest plan for the roof?", Direction.OLDEST),
    ("Which is the oldest of the bills?", Direction.OLDEST),
    ("What colour did we originally want?", Direction.OLDEST),
    ("Which trip is next?", Direction.NEXT),
    ("List the upcoming bills", Direction.NEXT),
    ("Did the last plumber come last week?", Direction.NEWEST),
    ("Was it the first call of last month?", Direction.OLDEST),
    ("What did I say first and what last?", Direction.OLDEST),
]


@pytest.mark.parametrize(("text", "direction"), DIRECTIONS)
def test_a_question_asks_for_one_end_of_time(text: str, direction: Direction) -> None:
    assert direction_of(text) is direction
    assert direction_of(text.upper()) is direction


NEITHER = """
at first it was dry | at long last it was dry | at the earliest | at last | at the latest
it has to last | paint will last | it does not last | it can last | it could last
it would last a life | it should last | will it last | can this last | could that last
would it last | does that last | her last name | our last names | the last straw
a last resort | the last minute | his last word | the last words | last but not least
it may last for ever | they last until dawn | they last till dawn | last through the night
it will last longer | the first name | the first names | first of all | a first aid kit
first class | the first thing | the first lady | the first ladies | the first floor
in the first person | first and foremost | her first language | at first hand
a first degree burn | in the first place | next to the shed | next door | the next of kin
the next generation | a last-minute trip | a next-door lamp | lastly | nexte | firstly
how many days did it last | how long does paint last
last week | last Tuesday | next month | the last 3 days | the first week of May | next spring
"""


@pytest.mark.parametrize("text", entries(NEITHER))
def test_words_that_are_no_end_of_time_ask_for_none(text: str) -> None:
    assert direction_of(text) is Direction.NONE


def test_a_thing_that_lasts_does_not_hide_the_end_that_is_asked_for() -> None:
    assert direction_of("How long did the latest outage last?") is Direction.NEWEST
    assert direction_of("How long did the first one last?") is Direction.OLDEST
    assert direction_of("At last: what is the newest plan?") is Direction.NEWEST


def test_words_on_both_sides_of_a_range_are_not_joined() -> None:
    assert direction_of("coming up") is Direction.NEXT
    assert direction_of("coming 5 May up") is Direction.NONE
    assert direction_of("at yesterday last") is Direction.NEWEST
