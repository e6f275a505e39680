"""Public utterances out of nothing: requests to an assistant, made by templates.

They train the auto-encoder that comes with textveil, and stand in for data where there is none. Nobody ever said them,
so they may be given to anyone.
"""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

import numpy as np

from textveil.errors import require_count
from textveil.randomness import RandomSource, Streams

_SLOT = re.compile(r"\{(\w+)\}")

SLOTS = {
    "city": "boston|ohio|london|paris|berlin|tokyo|chicago|denver|madrid|rome|dublin|austin|miami|seattle|oslo|vienna"
    "|lisbon|toronto|atlanta|dallas|athens|cairo|lima|geneva|new york|san jose|hong kong|cape town",
    "day": "today|tomorrow|tonight|this weekend|on monday|on tuesday|on wednesday|on thursday|on friday|on saturday"
    "|on sunday|next week|next monday|next friday|in the morning|this evening",
    "clock": "at five|at six|at seven|at eight in the morning|at nine|at ten|at noon|at midnight|at half past six"
    "|at quarter to eight|at three in the afternoon|at seven thirty",
    "weather": "rain|snow|storm|freeze|be sunny|be windy|be cloudy|be foggy|be hot|be cold|be warmer|be colder",
    "genre": "jazz|rock|folk|blues|soul|techno|reggae|metal|classical|country|hip hop|ambient|opera|disco",
    "artist": "the night owls|the paper boats|silver river|anna stone|the quiet storm|little harbour|max and the moons"
    "|the velvet foxes|ruby lane|northern lights|the glass bees|oscar winter",
    "playlist": "morning run|rainy sunday|dinner party|deep focus|road trip|summer hits|late night|workout|sleep well"
    "|old favourites",
    "cuisine": "italian|mexican|indian|thai|greek|chinese|french|korean|spanish|turkish|vegan|japanese|ethiopian"
    "|lebanese",
    "people": "two|three|four|five|six|seven|eight|ten|twelve",
    "person": "my mother|my father|my sister|my brother|my boss|the doctor|maria|david|anna|peter|the school"
    "|my neighbour|the dentist|grandma|the bank|lena|tom",
    "task": "buy milk|call the plumber|water the plants|pay the rent|take my insulin|pick up the kids|renew my passport"
    "|send the report|feed the cat|cancel the gym|order new glasses|book the vet|return the books|take out the trash"
    "|refill my aspirin",
    "room": "kitchen|bedroom|bathroom|living room|hall|garage|office|garden|nursery",
    "thing": "lights|heating|fan|radio|television|blinds|music|alarm|oven|air conditioner",
    "book": "the iron garden|a winter abroad|the last orchard|letters from the coast|the silent map|birds of the north"
    "|the clockmaker|a short history of bread|the salt road",
    "stars": "one|two|three|four|five|zero",
    "film": "the long tide|city of paper|a dog called monday|the second moon|night train home|the lost violin"
    "|under the bridge|seven summers",
    "message": "i am running late|dinner is ready|see you soon|happy birthday|call me back|i miss you|the meeting moved"
    "|thank you for everything|i am at the hospital|i got the job",
    "distance": "near me|nearby|in the centre|around the corner|close to the station|within walking distance",
    "food": "pizza|soup|rice|pancakes|chicken|lentils|apple pie|fresh bread|tomato sauce|fish",
    "amount": "ten|twenty|fifty|one hundred|two hundred|five hundred",
    "duration": "five minutes|ten minutes|twenty minutes|half an hour|one hour|two hours|thirty seconds",
    "please": "please|could you|can you|i want you to|would you|hey",
}

INTENTS = {
    "weather": "will it {weather} in {city} {day}|what is the weather like in {city} {day}"
    "|is it going to {weather} {day}|what will the temperature be in {city} {day}|do i need an umbrella in {city} {day}"
    "|give me the forecast for {city} {day}|tell me if it will {weather} in {city}|how cold is it in {city} right now",
    "music": "play some {genre} music|play {artist}|i want to hear {artist}|put on something by {artist}"
    "|{please} play the newest album by {artist}|play {genre} for {duration}|let me hear some {genre} from {artist}",
    "playlist": "add this song to my {playlist} playlist|put {artist} on my {playlist} playlist"
    "|{please} add {artist} to the playlist {playlist}|i would like this tune in {playlist}"
    "|include the album by {artist} in my {playlist} list",
    "restaurant": "book a table for {people} at an {cuisine} restaurant {day}|find a {cuisine} restaurant {distance}"
    "|i want to eat {cuisine} food in {city} {day}|reserve a table for {people} {day} {clock}"
    "|is there a {cuisine} place {distance}|{please} get us seats for {people} at a {cuisine} restaurant in {city}",
    "alarm": "wake me up {clock}|set an alarm {clock} {day}|{please} set my alarm {clock}|cancel the alarm {clock}"
    "|move my alarm to {duration} later|i need to get up {clock} {day}",
    "timer": "set a timer for {duration}|start a timer of {duration} for the {food}|how much time is left on the timer"
    "|{please} count down {duration}|remind me of the {food} in {duration}",
    "flight": "book a flight from {city} to {city} {day}|show me flights from {city} to {city}"
    "|what is the cheapest fare from {city} to {city} {day}|i need to fly from {city} to {city} {day} {clock}"
    "|when does the flight from {city} to {city} arrive|list all flights leaving {city} {day}"
    "|{please} find a round trip from {city} to {city}",
    "reminder": "remind me to {task} {day}|remind me to {task} {clock}|{please} remind me to {task}"
    "|add {task} to my list|what do i have to do {day}|i must not forget to {task} {day}",
    "call": "call {person}|phone {person} {clock}|{please} call {person} for me|ring {person} back"
    "|call {person} on speaker",
    "message": "text {person} that {message}|send a message to {person} saying {message}|tell {person} {message}"
    "|{please} write to {person} that {message}|read me the last message from {person}",
    "home": "turn on the {thing} in the {room}|turn off the {thing} in the {room}|switch the {room} {thing} off"
    "|is the {thing} still on in the {room}|{please} turn down the {thing}|dim the {thing} in the {room} {clock}",
    "book": "rate {book} {stars} stars|give {book} {stars} out of five stars|i would give {book} {stars} points"
    "|find the book {book}|{please} read {book} to me|who wrote {book}",
    "film": "when is {film} playing {distance}|show me films playing {distance} {day}|is {film} on {day} in {city}"
    "|buy {people} tickets for {film} {day}|find cinemas {distance} that show {film}",
    "recipe": "how do i make {food}|find me a recipe for {food}|what can i cook with {food} and {food}"
    "|how long does {food} take in the oven|{please} show me an {cuisine} recipe with {food}",
    "money": "send {amount} dollars to {person}|how much money is in my account"
    "|transfer {amount} dollars to {person} {day}|did {person} pay me the {amount} dollars"
    "|what did i spend on {food} this month",
}


class Utterance(NamedTuple):
    """What somebody might say, and what for."""

    text: str
    intent: str


def requests(count: int, *, seed: int = 0) -> list[Utterance]:
    """Return made-up requests, the intents, templates and words all equally likely; the same for the same seed."""
    key = hashlib.sha256(b"textveil requests %d" % seed).digest()
    streams = RandomSource.keyed(key).streams(b"requests", np.arange(require_count("count", count)))
    intents = sorted(INTENTS)
    return [_request(streams.select(slice(i, i + 1)), intents) for i in range(count)]


def _request(stream: Streams, intents: list[str]) -> Utterance:
    numbers = iter(map(int, stream.words(32)[0]))

    def one_of(options: list[str]) -> str:
        return options[(next(numbers) * len(options)) >> 64]

    intent = one_of(intents)
    template = one_of(INTENTS[intent].split("|"))
    return Utterance(_SLOT.sub(lambda slot: one_of(SLOTS[slot[1]].split("|")), template), intent)
