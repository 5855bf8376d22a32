"""The words beside a clock of twelve hours, in the languages of phones.

The common ones are the day periods of Unicode CLDR; those of its older editions and of everyday use
were added by hand. Must not know dates or a format.
"""

# ruff: noqa: RUF001  letters that look like others are meant as they stand

import re
import unicodedata
from enum import Enum, auto

NOON = 12
_NIGHT_ENDS, _NOON_BEGINS = 6, 10


class _Period(Enum):
    """The part of the day that a word names."""

    MORNING = auto()
    AFTERNOON = auto()
    MIDDAY = auto()
    NIGHT = auto()


_WORDS = {
    _Period.MORNING: """
        am vm vorm vormittags öö dop dopol ap de pg sa ipd priekšp priekšpusdienā priešpiet
        prijepodne rn yb paradite eparadites pd fh fm bn gh goöň mat matin damanhã
        delamañana mañana sf safiya asubuhi pagi πμ дп ам апоўначы преподне претпл пријеподне
        то таңкы тң үө прob проб утра לפנהצ בבוקר ص صباحا صباحًا بن تد صبح عم غم قظ قبلازظهر
        قبلدوپہر چب چۈشتىنبۇرۇن կա पूर्वाह्न सुबह सबेरे मपू सकाळ पहाट पूर्वाह्ण बिहान भोर
        পূর্বাহ্ণ পূৰ্বাহ্ন সকাল ভোর સવારે પૂર્વાહ્ન ਪੂਦੁ முற்பகல் காலை அதிகாலை ఉదయం పూర్వాహ్న
        ಪೂರ್ವಾಹ್ನ ಬೆಳಗ್ಗೆ രാവിലെ പുലർച്ചെ පෙව ก่อนเที่ยง ກ່ອນທ່ຽງ နံနက် ጥዋት ቅቀ
        上午 上昼 上晝 早上 朝早 清晨 凌晨 午夜 半夜 深夜 午前 朝 오전 아침 새벽
    """,
    _Period.AFTERNOON: """
        pm nm nachm nachmittags ös odp pop popol ip du ptg ch pēcp pēcpusdienā popiet popodne in
        yh pasdite epasdites md eh em pn gd gosoň soir datarde delatarde tarde ym yamma alasiri
        petang μμ пп пм апоўдні поподне попл послијеподне тк түштөнкийинки үх слоб вечера
        אחהצ אחרהצ בערב م مساء مساءً دن تك شام غو بظ بعدازظهر بعددوپہر عصر چك چۈشتىنكېيىن կհ
        अपराह्न शाम दोपहर मउ दुपार संध्याकाळ अपरान्ह साँझ बेलुकी অপরাহ্ণ অপৰাহ্ন বিকাল সন্ধ্যা
        સાંજે ઉત્તરાહ્ન ਬਾਦੁ பிற்பகல் மாலை సాయంత్రం అపరాహ్న ಅಪರಾಹ್ನ ಸಂಜೆ വൈകുന്നേരം പව පව
        หลังเที่ยง ຫຼັງທ່ຽງ ညနေ ከሰዓት ድቀ 下午 下昼 下晝 傍晚 夕方 午後 오후 저녁
    """,
    _Period.MIDDAY: """
        noon midi mittags mediodía ظهر मध्यान्ह দুপুর બપોરે மதியம் நண்பகல் మధ్యాహ్నం ಮಧ್ಯಾಹ್ನ
        ഉച്ചയ്ക്ക് ഉച്ച နေ့လယ် 中午 正午 昼 정오 낮
    """,
    _Period.NIGHT: """
        midnight ночи شب नीमशب रात रात्र রাত রাত্রি રાત્રે இரவு రాత్రి ರಾತ್ರಿ രാത്രി ည
        晚上 夜晚 夜 夜中 真夜中 자정 밤
    """,
}
"""What stands for each, as `plain` writes it."""


def plain(words: str) -> str:
    """Return the letters of words in lower case, without points, blanks and marks: `pm`."""
    letters = unicodedata.normalize("NFKC", words).casefold()
    return "".join(one for one in letters if unicodedata.category(one)[0] in "LM")


_PERIODS = {plain(one): period for period, words in _WORDS.items() for one in words.split()}


def hour_of_day(hour: int, words: tuple[str, ...]) -> int:
    """Return the hour of the day, 0 to 23, of a clock; these `words` may say which half it is."""
    if hour > NOON:
        return hour  # a clock of 24 hours, whatever stands beside it
    said = (one for part in words for one in (part, *re.split(r"[\s,،]+", part)))
    period = next((_PERIODS[key] for one in said if (key := plain(one)) in _PERIODS), None)
    return hour if period is None else _shift(hour, period)


def _shift(hour: int, period: _Period) -> int:
    early, late = hour % NOON, hour % NOON + NOON
    match period:
        case _Period.MORNING:
            return early
        case _Period.AFTERNOON:
            return late
        case _Period.MIDDAY:
            return hour if hour >= _NOON_BEGINS else late
        case _Period.NIGHT:
            return early if early < _NIGHT_ENDS else late
