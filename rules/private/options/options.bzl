"""Expands options in attributes: Make variables, locations of files, quotes."""

load("//rules/private/targets:names.bzl", "user_label")

def expanded_options(ctx, attribute):
    """Returns the options in an attribute, which are read as in `cc_library`.

    `$(location //x)` and similar variables, Make variables and `$$` are replaced. Then each entry
    is split into options as in a Bourne shell. With the feature
    `no_copts_tokenization`, only an entry that is one Make variable is split.

    Args:
        ctx: the rule context.
        attribute: name of an attribute that is a list of strings.
    Returns:
        list of string.
    """
    untokenized = attribute.endswith("copts") and "no_copts_tokenization" in ctx.features
    options = []
    for text in getattr(ctx.attr, attribute):
        expanded = expanded_text(ctx, attribute, text)
        if untokenized and not _is_variable(text):
            options.append(expanded)
            continue
        read = words(expanded)
        if read.error:
            fail("%s: %s: '%s' %s" % (user_label(ctx), attribute, text, read.error))
        options += read.words
    return options

def _is_variable(text):
    """Returns whether a text is one Make variable, as in "$(NAME)"."""
    name = text.removeprefix("$(").removesuffix(")")
    return text == "$(%s)" % name and not [c for c in name.elems() if c in " $()"]

def expanded_texts(ctx, attribute):
    """Returns the entries of an attribute with locations and Make variables replaced.

    Args:
        ctx: the rule context.
        attribute: name of an attribute that is a list of strings.
    Returns:
        list of string.
    """
    return [expanded_text(ctx, attribute, text) for text in getattr(ctx.attr, attribute)]

def expanded_defines(ctx, attribute):
    """Returns the preprocessor definitions in an attribute, one for each entry.

    Args:
        ctx: the rule context.
        attribute: name of an attribute that is a list of strings.
    Returns:
        list of string.
    """
    defines = []
    for text in getattr(ctx.attr, attribute):
        read = words(expanded_text(ctx, attribute, text))
        if read.error:
            fail("%s: %s: '%s' %s" % (user_label(ctx), attribute, text, read.error))
        if len(read.words) != 1:
            fail("%s: %s: definition '%s' has %d words; quote values that contain spaces, as in \"NAME='two words'\"" % (user_label(ctx), attribute, text, len(read.words)))
        defines += read.words
    return defines

# Attributes with targets that $(location) can refer to.
_LOCATIONS = ["additional_compiler_inputs", "additional_linker_inputs", "data", "deps", "hdrs", "implementation_deps", "srcs", "textual_hdrs"]

def expanded_text(ctx, attribute, text):
    """Returns a text with its references to files and Make variables replaced.

    Args:
        ctx: the rule context.
        attribute: name of the attribute that contains the text, for errors.
        text: the text.
    Returns:
        string.
    """
    if "$" not in text:
        return text
    targets = {
        target.label: target
        for name in _LOCATIONS
        for target in getattr(ctx.attr, name, [])
    }
    out = []
    rest = text
    for _ in range(len(text)):
        before, dollar, rest = rest.partition("$")
        out.append(before)
        if not dollar:
            break
        if rest.startswith("$"):
            out.append("$")
            rest = rest[1:]
        elif not rest.startswith("("):
            out.append("$")
        else:
            name, closed, rest = rest[1:].partition(")")
            if not closed:
                fail("%s: %s: '%s': unterminated $(%s; write $$ for a literal dollar sign" % (user_label(ctx), attribute, text, name))
            if " " in name:
                out.append(ctx.expand_location("$(%s)" % name, targets.values()))
            else:
                out.append(ctx.expand_make_variables(attribute, "$(%s)" % name, {}))
    return "".join(out)

def words(text):
    """Splits a text into words as a Bourne shell does.

    Words are separated by spaces and tabs. Text in single quotes is literal. In double quotes, a
    backslash escapes `"` and itself; outside of quotes, it escapes any character.

    Args:
        text: the text.
    Returns:
        struct(words, error): list of string; and what is wrong with the text, empty if it is
        valid.
    """
    found = []
    word = None  # list of string; None between words
    quote = ""
    escaped = False
    for c in text.elems():
        if escaped:
            if quote and c not in "\\\"":
                word.append("\\")
            word.append(c)
            escaped = False
        elif c == "\\" and quote != "'":
            word = word or []
            escaped = True
        elif quote:
            if c == quote:
                quote = ""
            else:
                word.append(c)
        elif c in "'\"":
            word = word or []
            quote = c
        elif c in " \t":
            if word != None:
                found.append("".join(word))
            word = None
        else:
            word = word or []
            word.append(c)
    if escaped:
        return struct(words = [], error = "ends with a backslash that escapes nothing; write \\\\ for a backslash")
    if quote:
        return struct(words = [], error = "lacks the closing %s; escape a literal quote with a backslash" % quote)
    return struct(words = found + (["".join(word)] if word != None else []), error = "")
