"""MAP versions 1 to 3: operations, errors, the dialogue PDUs, USSD strings, the GSM alphabet.

`operation` has the class of declarations and the versions, `dialogue` the user information of
TCAP. Start with `operations.subscriber_information`.
"""
