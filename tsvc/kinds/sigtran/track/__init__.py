"""The usual way of TCAP dialogues: calls that do, octet by octet, what one before them did.

Theory and alternatives are in docs/adr/0028; what the engine has to do with it in
operations/usual.py and engine/usual.py. Three steps, a module each:

1. operations/sayings.py: while a definition is compiled, operations say whether a call of theirs
   can be one, and which argument an instance's own variables make. Only a definition of which
   every operation has said so has a track.
2. `track`: learns, from the first instance that has passed, what was sent and received, and lets
   calls follow it: the frame of a message is filled with ids and arguments, what is received is
   compared as octets. A call here is some floats and references among the dialogues of the
   endpoint: no greenlet, no Dialogue, no TesterDialogue.
3. `play`: whatever deviates, ends otherwise or is looked at afterwards becomes the ordinary
   instance: what came is played to its own operations until they are where the call is.

Where an instance has several dialogues, or other gateways too, `leg` is one dialogue of it: see
operations/together.py.

What it knows of TCAP is where transaction ids stand, which the general decoder tells once for each
message of a track. What a message means, whether it may come and whether it is right is said by
the ordinary instance alone. Nothing here switches. Start with `track`.
"""
