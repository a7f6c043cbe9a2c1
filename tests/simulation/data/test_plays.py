from boundkit.simulation.data.shakespeare import speeches

PLAY = """# A Play

Nobody has spoken yet.

## ACT I

### SCENE I. A hall.

_Trumpets. Enter KING,
and Lords_

**KING**$
Bring me   the light!$
_To a Servant_
Away, away \\- and come again.

_Exit Servant_

What, is it dark?

**First Lord**$
__\\[Aside]_$
'Tis dark & cold, two \\* three.$
[Within]_
*Exeunt.*
A line *and so on* goes on.

### SCENE II. The same.

Nobody says this.

**KING**$
I am alone_

**FOOL**$
Ha_ha! 2 * 3 * 4
""".replace("$\n", "  \n")  # Markdown breaks lines by spaces at their ends


def test_roles_have_their_speeches_in_order() -> None:
    said = speeches(PLAY)
    assert list(said) == ["KING", "First Lord", "FOOL"]
    assert said["KING"] == (
        "Bring me the light!\nAway, away - and come again.\nWhat, is it dark?\nI am alone_"
    )
    assert said["First Lord"] == "'Tis dark & cold, two * three.\nA line goes on."
    assert said["FOOL"] == "Ha_ha! 2 * 3 * 4"


def test_an_unmatched_mark_ends_with_its_paragraph() -> None:
    assert speeches("**A**\none _two\n\n**B**\nthree_ four\n") == {"A": "one _two", "B": "three_ four"}


def test_line_ends_have_no_effect() -> None:
    assert speeches(PLAY.replace("\n", "\r\n")) == speeches(PLAY)
