"""MAP versions 1 to 3: operations, errors, the dialogue PDUs, USSD strings, the GSM alphabet.

`operation` is a declaration with its versions, `dialogue` what stands in the user information of
TCAP. Start with `operations.subscriber_information`.
"""
