"""Controllers declare the messages and actions that they handle; the screen only registers them."""

from dataclasses import dataclass

import pytest
from textual.app import App
from textual.message import Message
from textual.screen import Screen

from memtui.browse.controllers import Controllers, handles


@dataclass
class Called(Message):
    text: str


@dataclass
class Whispered(Called):
    pass


class Ear:
    def __init__(self, name: str, heard: list[str]) -> None:
        self._name = name
        self._heard = heard

    @handles(Called, Whispered)
    def hear(self, message: Called) -> None:
        self._heard.append(f"{self._name} {message.text}")


class Mouth:
    def __init__(self, said: list[str]) -> None:
        self._said = said

    async def action_say(self, text: str) -> None:
        self._said.append(text)


class Whisperer(Mouth):
    def action_whisper(self, text: str) -> None:
        self._said.append(f"({text})")


def test_messages_go_to_the_controllers_that_declare_them_in_their_order() -> None:
    heard: list[str] = []
    controllers = Controllers(Screen())
    controllers.register(Ear("left", heard), Ear("right", heard))
    for message in (Called("hello"), Whispered("hush"), Message()):
        for handler in controllers.handlers(message):
            handler(message)
    assert heard == ["left hello", "right hello", "left hush", "right hush"]


async def test_actions_of_controllers_are_those_of_the_screen() -> None:
    said: list[str] = []
    app = App[None]()
    async with app.run_test():
        controllers = Controllers(app.screen)
        controllers.register(Whisperer(said), Mouth(said))
        await app.screen.run_action("say('hello')")
        await app.screen.run_action("whisper('hush')")
        with pytest.raises(TypeError, match="action_say of Mouth would replace another one of the screen"):
            controllers.register(Mouth(said))
    assert said == ["hello", "(hush)"]
