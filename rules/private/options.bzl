"""Options as users write them in attributes: Make variables, locations of files, quotes."""

def expanded_options(ctx, attribute):
    """The options that an attribute has, as those of `cc_library` are read.

    `$(location //x)` and the like, Make variables and `$$` are replaced. Then each entry is
    divided into options as a Bourne shell divides words. With the feature
    `no_copts_tokenization`, only an entry that is one Make variable is divided.

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
            fail("%s: %s: '%s' %s" % (ctx.label, attribute, text, read.error))
        options += read.words
    return options

def _is_variable(text):
    """Whether a text is one Make variable, as in "$(NAME)"."""
    name = text.removeprefix("$(").removesuffix(")")
    return text == "$(%s)" % name and not [c for c in name.elems() if c in " $()"]

def expanded_texts(ctx, attribute):
    """The entries of an attribute with locations and Make variables replaced.

    Args:
        ctx: the rule context.
        attribute: name of an attribute that is a list of strings.
    Returns:
        list of string.
    """
    return [expanded_text(ctx, attribute, text) for text in getattr(ctx.attr, attribute)]

def expanded_defines(ctx, attribute):
    """The preprocessor definitions that an attribute has, one for each entry.

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
            fail("%s: %s: '%s' %s" % (ctx.label, attribute, text, read.error))
        if len(read.words) != 1:
            fail("%s: %s: '%s' is %d words, and a definition is one: quote a value that has spaces, as in \"NAME='two words'\"" % (ctx.label, attribute, text, len(read.words)))
        defines += read.words
    return defines

# Attributes with targets that $(location) can name.
_LOCATIONS = ["additional_compiler_inputs", "additional_linker_inputs", "data", "deps", "hdrs", "implementation_deps", "srcs", "textual_hdrs"]

def expanded_text(ctx, attribute, text):
    """A text with its references to files and Make variables replaced.

    Args:
        ctx: the rule context.
        attribute: name of the attribute that has the text, for errors.
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
                fail("%s: %s: '%s' lacks the ) of $(%s; write $$ for a dollar sign" % (ctx.label, attribute, text, name))
            if " " in name:
                out.append(ctx.expand_location("$(%s)" % name, targets.values()))
            else:
                out.append(ctx.expand_make_variables(attribute, "$(%s)" % name, {}))
    return "".join(out)

def words(text):
    """Divides a text into words as a Bourne shell does.

    Spaces and tabs divide. What single quotes enclose is taken as it is. In double quotes a
    backslash escapes `"` and itself; outside of quotes it escapes any character.

    Args:
        text: the text.
    Returns:
        struct(words, error): list of string; and what is wrong with the text, empty when
        nothing is.
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
        return struct(words = [], error = "ends in a backslash that escapes nothing; write \\\\ for a backslash")
    if quote:
        return struct(words = [], error = "lacks the closing %s; escape a quote that is meant as it is with a backslash" % quote)
    return struct(words = found + (["".join(word)] if word != None else []), error = "")
