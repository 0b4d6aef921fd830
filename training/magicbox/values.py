"""The kinds of values that stand in messages: names, dates, money and so on, drawn from word lists and put together by rules.

`python3 -m magicbox.values` prints samples of every kind and checks them.
"""

from __future__ import annotations

import functools
import random
import re
import string
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

WORDS = Path(__file__).parent / "words"


class Value(NamedTuple):
    """A value, and the preposition with a space that fits before it, outside the answer; empty where none does."""

    text: str
    prefix: str


@functools.cache
def words(name: str) -> tuple[str, ...]:
    """The entries of a word list."""
    text = (WORDS / f"{name}.txt").read_text()
    # A mark inside parentheses separates alternatives of one entry, not entries.
    entries = re.split(r"\s\|\s|\n|\s\||\|\s", text)
    return tuple(entry.strip() for entry in entries if entry.strip() and not entry.startswith("#"))


MARKUP = re.compile(r"\{(\w+)\}|\(([^()]*\|[^()]*)\)|\[([^\[\]]*)\]")


def filled(entry: str, rng: random.Random) -> str:
    """An entry with its slots filled, its alternatives chosen and its optional parts there or not."""
    while found := MARKUP.search(entry):
        kind, options, optional = found.groups()
        if kind is not None:
            part = value(kind, rng).text
        elif options is not None:
            part = rng.choice(options.split("|"))
        else:
            part = optional if rng.random() < 0.5 else ""
        entry = entry[: found.start()] + part + entry[found.end() :]
    return " ".join(entry.split())


def of_list(name: str) -> Callable[[random.Random], str]:
    def draw(rng: random.Random) -> str:
        entry = rng.choice(words(name))
        return filled(entry, rng) if "{" in entry or "(" in entry or "[" in entry else entry

    return draw


def one_of(text: str) -> Callable[[random.Random], str]:
    options = tuple(part.strip() for part in text.split("|"))
    return lambda rng: filled(rng.choice(options), rng)


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.digits) for _ in range(count))


def letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(count))


def shaped(shape: str, rng: random.Random) -> str:
    """A code of a shape: 9 is a digit, A a letter, other marks stand for themselves."""
    return "".join(digits(rng, 1) if mark == "9" else letters(rng, 1) if mark == "A" else mark for mark in shape)


def shapes(text: str) -> Callable[[random.Random], str]:
    options = text.split()
    return lambda rng: shaped(rng.choice(options).replace("_", " "), rng)


ONSETS = "b br c ch d dr f g gr h j k kr l m n p pr r s sh st t tr v w y z th m n l r s k".split()
VOWELS = "a e i o u ai ea io ou a e i o".split()
CODAS = ["", "", "", "n", "r", "l", "s", "m", "t", "k", "nd", "x", "sh", "ck"]


def made_up_name(rng: random.Random) -> str:
    syllables = (rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(rng.choice((1, 2, 2, 2, 3))))
    return "".join(syllables).capitalize()


def first_name(rng: random.Random) -> str:
    return made_up_name(rng) if rng.random() < 0.12 else rng.choice(words("first_names"))


def last_name(rng: random.Random) -> str:
    return made_up_name(rng) if rng.random() < 0.12 else rng.choice(words("last_names"))


TITLES = "Dr.|Dr|Mr|Mr.|Mrs.|Mrs|Ms|Ms.|Miss|Prof.|Professor|Doctor|Sir|Captain|Father|Sister|Coach|Chef|Nurse".split("|")
KIN = "aunt|uncle|Aunt|Uncle|cousin|grandma|grandpa|auntie|old".split("|")


def person(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.4:
        return first_name(rng)
    if kind < 0.75:
        return f"{first_name(rng)} {last_name(rng)}"
    if kind < 0.88:
        middle = f"{first_name(rng)} " if rng.random() < 0.3 else ""
        return f"{rng.choice(TITLES)} {middle}{last_name(rng)}"
    if kind < 0.92:
        return f"{first_name(rng)[0]}. {last_name(rng)}"
    if kind < 0.95:
        return f"{first_name(rng)} {last_name(rng)[0]}."[:-1]
    if kind < 0.98:
        return f"{rng.choice(KIN)} {first_name(rng)}"
    return f"{first_name(rng)} {last_name(rng)}-{last_name(rng)}"


DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
SHORT_DAYS = "Mon Tue Wed Thu Fri Sat Sun Tues Weds Thurs".split()
MONTHS = "January February March April May June July August September October November December".split()
SHORT_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Sept".split()
NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
FEASTS = (
    "Christmas Eve|New Year's Eve|Easter Monday|Good Friday|Boxing Day|Valentine's Day|Mother's Day|Independence Day|Halloween|Thanksgiving|Diwali|Eid|Labour Day|Bastille Day|St Patrick's Day|Easter Sunday|Christmas Day|my birthday|New Year's Day|Hanukkah"
).split("|")


def weekday(rng: random.Random) -> str:
    return rng.choice(DAYS) if rng.random() < 0.75 else rng.choice(SHORT_DAYS)


def month(rng: random.Random) -> str:
    return rng.choice(MONTHS) if rng.random() < 0.75 else rng.choice(SHORT_MONTHS)


def ordinal(day: int) -> str:
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def year(rng: random.Random) -> str:
    return str(rng.randint(2020, 2031)) if rng.random() < 0.85 else str(rng.randint(1950, 2019))


def calendar_date(rng: random.Random) -> str:
    """A day with its month."""
    day, name = rng.randint(1, 28 + rng.randint(0, 3)), month(rng)
    number = rng.randint(1, 12)
    full = year(rng)
    styles = (
        f"{name} {day}", f"{day} {name}", f"{name} {ordinal(day)}", f"{ordinal(day)} {name}", f"the {ordinal(day)} of {name}", f"{ordinal(day)} of {name}", f"{name} {ordinal(day)}, {full}", f"{day} {name} {full}",
        f"{name} {day}, {full}", f"{day}/{number}", f"{day:02}/{number:02}", f"{number}/{day}/{full}", f"{day:02}/{number:02}/{full}", f"{day:02}.{number:02}.{full}", f"{day}.{number}.", f"{full}-{number:02}-{day:02}",
        f"{day}-{name}-{full}", f"{day:02}-{number:02}-{full}", f"{number}/{day}", f"{name} the {ordinal(day)}", f"{number}/{day}/{full[2:]}", f"{day}. {name}", f"{weekday(rng)} {day} {name}", f"{weekday(rng)}, {name} {day}",
        f"{weekday(rng)} the {ordinal(day)} of {name}", f"{weekday(rng)} {ordinal(day)} {name}", f"{weekday(rng)}, {day} {name} {full}",
    )
    return rng.choice(styles).rstrip(".")


def date(rng: random.Random) -> Value:
    kind = rng.random()
    if kind < 0.34:
        return Value(calendar_date(rng), "on " if rng.random() < 0.85 else "")
    if kind < 0.5:
        return Value(weekday(rng), "on " if rng.random() < 0.8 else "")
    if kind < 0.62:
        return Value(f"{rng.choice(('next', 'this', 'this coming', 'the following', 'coming', 'next', 'next'))} {weekday(rng)}", "")
    if kind < 0.74:
        return Value(rng.choice(("today", "tomorrow", "tomorrow", "the day after tomorrow", "tmrw", "tomorrow", "Tomorrow")), "")
    if kind < 0.79:
        return Value(f"the {ordinal(rng.randint(1, 31))}", "on ")
    if kind < 0.87:
        count = rng.choice((*NUMBER_WORDS[1:8], "2", "3", "4", "5", "10", "a couple of", "a few"))
        unit = rng.choice(("days", "weeks", "months", "days", "weeks"))
        return Value(rng.choice((f"in {count} {unit}", f"{count} {unit} from now", "in a week", "a week from today", f"a week from {weekday(rng)}", f"{weekday(rng)} week", "in a fortnight", "in a month", f"the week after next")), "")
    if kind < 0.93:
        return Value(rng.choice(("this weekend", "next weekend", "next week", "next month", "the end of the month", "the first of the month", "this week", "the weekend", f"early {month(rng)}", f"late {month(rng)}", f"mid-{rng.choice(MONTHS)}", f"the end of {month(rng)}", f"the first week of {month(rng)}")), "")
    if kind < 0.97:
        return Value(rng.choice(FEASTS), "on ")
    return Value(f"{weekday(rng)} the {ordinal(rng.randint(1, 31))}", "on ")


def clock(rng: random.Random) -> str:
    """A time of day."""
    hour, minute = rng.randint(1, 12), rng.choice((0, 15, 30, 45, 5, 10, 20, 40, 50, rng.randint(0, 59)))
    late, half = rng.randint(0, 23), rng.choice(("am", "pm"))
    dotted = "a.m" if half == "am" else "p.m"
    word = NUMBER_WORDS[hour - 1]
    styles = (
        f"{hour}", f"{hour}{half}", f"{hour} {half}", f"{hour} {half.upper()}", f"{hour}:{minute:02}", f"{hour}:{minute:02}{half}", f"{hour}:{minute:02} {half}", f"{hour}:{minute:02} {half.upper()}", f"{hour}:{minute:02} {dotted}.", f"{hour} {dotted}.", f"{late}:{minute:02}",
        f"{late:02}:{minute:02}", f"{late}h{minute:02}", f"{late:02}{minute:02}", f"{late}.{minute:02}", f"half past {word}", f"half past {hour}", f"quarter to {word}", f"quarter past {hour}", f"a quarter past {word}", f"ten to {word}", f"twenty past {hour}", f"five to {hour}", f"{word}",
        f"{word} thirty", f"{word} o'clock", f"{hour} o'clock", f"{hour} in the {rng.choice(('morning', 'evening', 'afternoon'))}", f"{word} in the {rng.choice(('morning', 'evening', 'afternoon'))}", f"half {word}", f"{hour}ish", f"{hour}.{minute:02}{half}", f"{hour} o clock", f"{hour}{half}", f"{hour}:{minute:02}", f"{late}:{minute:02}", f"{hour} {half}", f"{late} hrs",
    )
    return rng.choice(styles)


PARTS_OF_DAY = "noon|midnight|lunchtime|midday|dawn|sunset|breakfast time|dinner time".split("|")


def time(rng: random.Random) -> Value:
    prefix = "at " if rng.random() < 0.75 else rng.choice(("around ", "by ", "at about ", "about ", "at around ", "before ", "after ", "from ", "at exactly ", "at "))
    return Value(rng.choice(PARTS_OF_DAY) if rng.random() < 0.07 else clock(rng), prefix)


def count(rng: random.Random, most: int = 12) -> str:
    number = rng.randint(1, most)
    return NUMBER_WORDS[number - 1] if number <= 12 and rng.random() < 0.5 else str(number)


def quantity(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.75:
        return count(rng)
    if kind < 0.9:
        return str(rng.choice((15, 20, 24, 25, 30, 36, 40, 48, 50, 60, 75, 100, 120, 150, 200, 250, 500, 1000)))
    return rng.choice((f"{rng.choice(TENS)}-{rng.choice(NUMBER_WORDS[:9])}", rng.choice(TENS), "a dozen", "two dozen", "half a dozen", "a couple", "both", "a pair"))


def people_count(rng: random.Random) -> str:
    return count(rng) if rng.random() < 0.85 else str(rng.choice((13, 14, 15, 16, 18, 20, 22, 25, 30, 40, 50, 80)))


def amount(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.4:
        return str(rng.choice((5, 10, 12, 15, 18, 20, 25, 30, 35, 40, 45, 49, 50, 60, 75, 80, 99, 100, 120, 150, 200, 250, 300, 400, 500, 750, 800, 900)))
    if kind < 0.75:
        return f"{rng.randint(1, 400)}.{rng.choice((99, 50, 95, 49, 25, rng.randint(10, 99)))}"
    if kind < 0.85:
        return f"{rng.randint(1, 9)},{digits(rng, 3)}"
    if kind < 0.93:
        return str(rng.randint(2, 2500))
    return f"{rng.randint(1, 90)},{digits(rng, 2)}"


def money(rng: random.Random) -> str:
    sum_ = amount(rng)
    word = rng.choice((*NUMBER_WORDS[1:], *TENS, "a hundred", "two hundred", "fifteen", "five hundred", "a thousand"))
    unit = rng.choice(("dollars", "euros", "pounds", "bucks", "quid", "euro", "rupees", "francs", "dollars", "yen", "pesos", "lei", "kroner"))
    code = rng.choice("USD EUR GBP CHF INR CAD AUD JPY RON SEK".split())
    sign = rng.choice("$$$€€££₹")
    styles = (f"{sign}{sum_}", f"{sign}{sum_}", f"{sign}{sum_}", f"{sum_} {unit}", f"{sum_} {unit}", f"{sum_}€", f"{sum_} €", f"{code} {sum_}", f"{sum_} {code}", f"{word} {unit}", f"{sign}{rng.randint(1, 20)}k", f"{sign} {sum_}", f"{rng.choice('€$£')}{sum_}", f"{sum_} {code.lower()}")
    return rng.choice(styles)


def duration(rng: random.Random) -> Value:
    number = rng.choice((*NUMBER_WORDS[1:10], "2", "3", "4", "5", "10", "15", "20", "30", "45", "90", "a few", "a couple of"))
    unit = rng.choice(("minutes", "hours", "days", "weeks", "months", "years", "mins", "hrs", "minutes", "hours", "nights"))
    styles = (f"{number} {unit}", f"{number} {unit}", f"{number} {unit}", "an hour", "half an hour", "an hour and a half", "a week", "a day", "all day", "the whole weekend", f"{rng.randint(1, 9)}h", f"{rng.choice((10, 15, 20, 30, 45, 60))} min", "a fortnight", "a month", "two and a half hours", "1.5 hours", f"{rng.randint(1, 4)}h{rng.choice((15, 30, 45))}", "a year", "three quarters of an hour", "overnight")
    return Value(rng.choice(styles), "for " if rng.random() < 0.9 else "")


PHONES = "999-999-9999 (999)_999-9999 999_999_9999 +1_999_999_9999 9999999999 07999_999999 07999_999_999 020_7999_9999 +44_7999_999999 0171_9999999 +49_171_9999999 06_99_99_99_99 +33_6_99_99_99_99 99999_99999 +91_99999_99999 0799_999_999 555-9999 555_9999 0799.999.999 +40_799_999_999 01999_999999 1-800-999-9999 +61_499_999_999 099-999_99_99 0049_171_999_9999".split()


def phone(rng: random.Random) -> str:
    return shaped(rng.choice(PHONES).replace("_", " "), rng)


DOMAINS = "gmail.com outlook.com yahoo.com proton.me icloud.com hotmail.co.uk gmx.de mail.com example.org company.com web.de orange.fr".split()


def bare(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower()) or "mail"


def email(rng: random.Random) -> str:
    first, last = bare(first_name(rng)), bare(last_name(rng))
    name = rng.choice((f"{first}.{last}", f"{first}{last}", f"{first[0]}.{last}", f"{first}_{last}", f"{first}{digits(rng, 2)}", f"{first[0]}{last}", "info", "office", f"{last}.{first}", f"{first}{digits(rng, 4)}", "bookings", "hello"))
    return f"{name}@{rng.choice(DOMAINS) if rng.random() < 0.7 else bare(made_up_name(rng)) + rng.choice(('.com', '.org', '.co.uk', '.net', '.io', '.de'))}"


def url(rng: random.Random) -> str:
    site = bare(made_up_name(rng)) + rng.choice((".com", ".org", ".io", ".net", ".co"))
    return rng.choice((f"https://{site}/{bare(made_up_name(rng))}", f"www.{site}", f"{site}/{digits(rng, 4)}", f"meet.{site}/{shaped('aaa-9999', rng)}", f"https://zoom.us/j/{digits(rng, 9)}", site))


def address(rng: random.Random) -> Value:
    number = rng.randint(1, 250)
    house = f"{number}{rng.choice('abc')}" if rng.random() < 0.1 else str(number)
    street = rng.choice(words("streets")) if rng.random() < 0.85 else f"{made_up_name(rng)} {rng.choice(('Street', 'Road', 'Lane', 'Avenue', 'St', 'Rd', 'Ave', 'Close', 'Way', 'Drive'))}"
    base = rng.choice((f"{house} {street}", f"{house} {street}", f"{house} {street}", f"{street} {house}", f"{house}, {street}"))
    kind = rng.random()
    if kind < 0.12:
        base = f"{rng.choice(('flat', 'Flat', 'Apt', 'apartment', 'unit', 'suite'))} {rng.choice((str(rng.randint(1, 40)), f'{rng.randint(1, 9)}B'))}, {base}"
    elif kind < 0.2:
        base = f"{base}, {rng.choice(('apt', 'flat', 'floor', '#'))} {rng.randint(1, 30)}".replace("# ", "#")
    if rng.random() < 0.22:
        base = f"{base}, {rng.choice(words('cities'))}"
        if rng.random() < 0.3:
            base = f"{base} {postcode(rng)}"
    return Value(base, "at ")


postcode = shapes("99999 99999 A9_9AA AA99_9AA A99_9AA 9999 9999_AA 999999 99-999 999_99")
tracking_number = shapes("AA999999999AA 1A999AA99999999999 999999999999 AA99_9999_9999 JD99999999 9999_9999_9999 TRK-999999 Z9999999999 AA-9999-9999 99999999999999")
flight_number = shapes("AA999 AA_999 AA9999 AA99 AA_9999 A9999 9A_999")
booking_reference = shapes("AAAAAA A9AA9A AA9999 999999 AAA-999 9AA9A9 BK-99999 #99999 AA99AA R9999")
license_plate = shapes("AA99_AAA AAA-9999 B-99-AAA AA-999-AA A_999_AA 9AAA999 AAA_999 M-AA_999 AA_99_AA_9999 CJ-99-AAA")


def patterned(options: str) -> Callable[[random.Random], str]:
    """Entries in which 9 is a digit and @ a letter."""
    entries = options.split("|")

    def draw(rng: random.Random) -> str:
        text = rng.choice(entries)
        return re.sub("@", lambda _: letters(rng, 1), re.sub("9", lambda _: digits(rng, 1), text))

    return draw


room = patterned("room 9|room 999|Room 99|room @|999|meeting room 9|Room @9|the blue room|the big meeting room|lab 9|the boardroom|hall 9|the small conference room|room 9.99|suite 99|the library|the canteen|studio 9|office 999|the green room|conference room @|the training room|B999|the glass room|room 99 on the 9th floor")
seat = patterned("9@|99@|99C|seat 99|row 9|99F|9F|row 99, seat 9|an aisle seat|a window seat|@9|seat @99|the front row|9D|window|aisle|block @, row 9|a seat near the exit|99A|the back row|the balcony|upper tier|extra legroom|middle seat")
account_number = patterned("99999999|GB99@@@@99999999999999|DE99 9999 9999 9999 9999 99|9999 9999|999-999-999|RO99@@@@9999999999999999|99-99-99 99999999|9999999999|FR99 9999 9999 9999|99-9999-9999|the joint account|my savings account|the account ending in 9999|the business account|GB99 @@@@ 9999 9999")
order_number = patterned("#99999|999999|#@@9999|@@-99999|ORD-99999|99999999|#999-9999999|@99999|9999-9999|@@@999|#9999|W9999999|@@99999|PO-9999|#@-9999|9999|99-99999")


def company(rng: random.Random) -> str:
    if rng.random() < 0.6:
        return of_list("companies")(rng)
    name = rng.choice((made_up_name(rng), last_name(rng), f"{last_name(rng)} & {last_name(rng)}", f"{made_up_name(rng)}{rng.choice(('soft', 'tech', 'ly', 'works', 'net'))}"))
    return f"{name}{rng.choice(('', '', ' Ltd', ' Inc', ' GmbH', ' Group', ' Logistics', ' Insurance', ' Partners', ' Bank', ' Energy', ' and Sons', ' Consulting', ' Foods', ' Media'))}"


def named(list_name: str, patterns: str) -> Callable[[random.Random], str]:
    """From a list, or put together from names."""
    own, made = of_list(list_name), one_of(patterns)
    return lambda rng: own(rng) if rng.random() < 0.6 else made(rng)


restaurant = named("restaurants", "{last_name}'s|Chez {first_name}|La {made_up_name}|{made_up_name} Grill|Casa {last_name}|the {color} {animal}|{first_name}'s Kitchen|Trattoria {last_name}|{made_up_name}|Café {made_up_name}|{city} Garden|The {made_up_name} Arms|{last_name} & Co|Sushi {made_up_name}")
hotel = named("hotels", "Hotel {made_up_name}|the {city} Inn|{last_name} Lodge|the {made_up_name} Palace|{made_up_name} Suites|Hotel {last_name}|Villa {first_name}|the Grand {city}|{city} Central Hotel|Pension {last_name}")
shop = named("shops", "{last_name}'s|{made_up_name}|{last_name} & Sons|{made_up_name} Market|the {made_up_name} store|{first_name}'s Bakery|{made_up_name}.com|{city} Books")


def age(rng: random.Random) -> str:
    number = rng.randint(2, 90)
    return rng.choice((str(number), str(number), f"{number} years old", f"{rng.randint(2, 11)} months old", NUMBER_WORDS[rng.randint(1, 11)], f"{number} years"))


def weight(rng: random.Random) -> str:
    return f"{rng.choice((rng.randint(1, 95), f'{rng.randint(1, 20)}.{rng.randint(1, 9)}'))}{rng.choice((' kg', 'kg', ' kilos', ' pounds', ' lbs', ' g', ' grams', ' tons'))}"


def temperature(rng: random.Random) -> str:
    return rng.choice((f"{rng.randint(5, 40)} degrees", f"{rng.randint(36, 40)}.{rng.randint(0, 9)}", f"{rng.randint(50, 104)} F", f"{rng.randint(5, 30)}°C", f"{rng.randint(5, 30)}°", f"minus {rng.randint(1, 20)}"))


def distance(rng: random.Random) -> str:
    return f"{rng.choice((rng.randint(1, 900), *NUMBER_WORDS[1:]))} {rng.choice(('km', 'miles', 'kilometres', 'metres', 'blocks', 'm', 'feet'))}"


def percent(rng: random.Random) -> str:
    return rng.choice((f"{rng.randint(1, 100)}%", f"{rng.randint(1, 100)} percent", f"{rng.randint(1, 100)} %", "half", "a third", "a quarter"))


def color(rng: random.Random) -> str:
    return of_list("colors")(rng)


frequency = one_of("every day|every {weekday}|every morning|daily|weekly|once a week|twice a day|every two weeks|monthly|every other {weekday}|three times a week|every hour|each evening|every month|once a month|every night|every 6 hours|every 3 months|{weekday}s and {weekday}s|every first {weekday} of the month|yearly|twice a year|every second day|every {weekday} and {weekday}")
rating = one_of("5 stars|4 out of 5|8/10|three stars|10 out of 10|4.5|2 stars|excellent|9/10|1 star|7 out of 10|very good")
payment_method = one_of("cash|card|credit card|debit card|my Visa|PayPal|bank transfer|Apple Pay|the company card|Mastercard|invoice|a voucher|gift card|Google Pay|direct debit|my Amex|cheque|contactless|Revolut|the corporate Amex|cash on delivery|Venmo|a money order|the card ending in 4421|wire transfer|UPI|Klarna|meal vouchers|my own card|petty cash|Twint|iDEAL")


def pet(rng: random.Random) -> str:
    name, animal = first_name(rng), of_list("animals")(rng)
    return rng.choice((name, name, f"my {animal} {name}", f"our {animal}", f"{name} the {animal}", f"my {animal}", f"the {animal}", f"{name}, our {animal}", f"two {animal}s", f"{animal} {name}"))


def place(rng: random.Random) -> Value:
    return Value(of_list("places")(rng), rng.choice(("at ", "at ", "at ", "near ", "by ")))


KINDS: dict[str, Callable[[random.Random], Value | str]] = {
    "person": person, "first_name": first_name, "last_name": last_name, "made_up_name": made_up_name, "company": company, "restaurant": restaurant, "hotel": hotel, "shop": shop,
    "city": lambda rng: Value(rng.choice(words("cities")), "in "), "country": lambda rng: Value(rng.choice(words("countries")), "in "),
    "address": address, "place": place, "phone": phone, "email": email, "url": url, "date": date, "time": time, "duration": duration,
    "month": lambda rng: Value(month(rng), "in "), "year": lambda rng: Value(year(rng), "in "), "weekday": lambda rng: Value(weekday(rng), "on "),
    "money": money, "quantity": quantity, "people_count": people_count, "percent": percent, "order_number": order_number, "tracking_number": tracking_number,
    "flight_number": flight_number, "booking_reference": booking_reference, "account_number": account_number, "license_plate": license_plate, "postcode": postcode,
    "room": lambda rng: Value(room(rng), "in "), "seat": seat, "color": color, "payment_method": payment_method, "frequency": frequency, "rating": rating, "pet": pet,
    "age": age, "weight": weight, "temperature": temperature, "distance": distance,
    **{
        kind: of_list(name)
        for kind, name in {
            "relation": "relations", "airport": "airports", "size": "sizes", "product": "products", "grocery": "groceries", "dish": "dishes", "drink": "drinks", "medicine": "medicines", "symptom": "symptoms",
            "device": "devices", "app": "apps", "error_message": "errors", "task": "tasks", "event": "events", "reason": "reasons", "service": "services", "job_title": "job_titles", "animal": "animals",
            "car_model": "cars", "language": "languages", "course": "courses", "sport": "sports", "item": "items", "document": "documents", "note": "notes", "topic": "topics",
        }.items()
    },
}


def value(kind: str, rng: random.Random, lists: Mapping[str, list[str]] = {}) -> Value:
    """A value of a kind: one of its list in `lists`, where it has one there. @raises KeyError for a kind that is not known."""
    if kind in lists:
        return Value(rng.choice(lists[kind]), "")
    drawn = KINDS[kind](rng)
    text, prefix = (drawn, "") if isinstance(drawn, str) else drawn
    if rng.random() < 0.08:
        text = text.lower()
    return Value(text, prefix)


def main() -> None:
    rng = random.Random(1)
    for kind in KINDS:
        drawn = [value(kind, rng) for _ in range(2000)]
        for text, prefix in drawn:
            assert text and text == text.strip() and "  " not in text and not set("{}[]|") & set(text), (kind, text)
            assert not prefix or prefix.endswith(" "), (kind, prefix)
        print(f"{kind}:", " | ".join(prefix + "·" + text if prefix else text for text, prefix in drawn[:12]))


if __name__ == "__main__":
    main()
