"""Which variables an expression needs, and which variables it sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.expr import compile_expression


def uses(source):
    found = compile_expression(source).uses
    return (
        {f"{root}.{name}" for root, name in found.reads},
        {f"{root}.{name}" for root, name in found.sets},
        found.sets_any,
    )


@pytest.mark.parametrize(
    ("source", "reads", "sets"),
    [
        ("$v->{a}", "v.a", ""),
        ("$v->{'a b'} . $g->{a}", "v.a b g.a", ""),
        ('"x$v->{a}y"', "v.a", ""),
        ("$v->{a}{b}[$v->{n}]", "v.a v.n", ""),
        ("@{$v->{a}}", "v.a", ""),
        ("$#{$v->{a}}", "v.a", ""),
        ("$v->{a} =~ /$v->{b}/", "v.a v.b", ""),
        ("$v->{a} ? $v->{b} : $v->{c}", "v.a v.b v.c", ""),
        ("map { $_ . $v->{b} } @{$v->{a}}", "v.a v.b", ""),
        ("substr($v->{a}, 0, $v->{n})", "v.a v.n", ""),
        ("$v->{a} = $v->{b}", "v.b", "v.a"),
        ("$v->{a}{b}[0] = 1", "", "v.a"),
        ("$v->{a}[$v->{n}] = 1", "v.n", "v.a"),
        ("$v->{a} .= $v->{b}", "v.b", "v.a"),
        ("$v->{a}++; --$g->{n}", "", "v.a g.n"),
        ("push @{$v->{a}}, $v->{b}", "v.b", "v.a"),
        ("my $x = $v->{a}; $x + 1", "v.a", ""),
        ("($v->{a} = $v->{b}) =~ s/1/2/", "v.b", "v.a"),
        ("defined $v->{a}", "", ""),
        ("exists $v->{a}{b}", "", ""),
        ("delete $v->{a}", "", ""),
        ("$v->{a} // $v->{b}", "v.b", ""),
        ("$v->{a} || 'none'", "", ""),
        ("$v->{a} //= 1", "", "v.a"),
        ("$v->{a} && $v->{b}", "v.a v.b", ""),
        ("$i->{InitialDP}{serviceKey} + $r->{idx}", "i.InitialDP", ""),
        ("$i->{A} = $i->{B}{c}; defined $i->{C}", "i.B", "i.A"),
        ("keys %{$v}", "", ""),
        ("$v->{$v->{name}}", "v.name", ""),
    ],
)
def test_what_is_named(source, reads, sets):
    names = [set(one.split()) if "a b" not in one else {"v.a b", "g.a"} for one in (reads, sets)]
    assert uses(source) == (*names, set())


@pytest.mark.parametrize(
    ("source", "root"),
    [
        ("$v->{$v->{name}} = 1", "v"),
        ("my $x = $g; $x->{a} = 1", "g"),
        ("$v->{'a' . $r->{idx}}++", "v"),
        ("push @{$g->{$v->{name}}}, 1", "g"),
    ],
)
def test_computed_names_may_set_any(source, root):
    assert uses(source)[2] == {root}


NAMES = st.sampled_from(["a", "b", "c"])
READS = st.builds("$v->{{{}}}".format, NAMES)


def _grown(inner):
    return st.one_of(
        st.builds("({} . {})".format, inner, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds("length({})".format, inner),
        st.builds("[{}, {}]->[0]".format, inner, inner),
        st.builds("{{k => {}}}->{{k}}".format, inner),
        st.builds("join(',', {}, {})".format, inner, inner),
    )


@given(st.recursive(READS, _grown, max_leaves=8))
def test_a_read_is_found_wherever_it_stands(source):
    reads, sets, sets_any = uses(source)
    assert reads == {f"v.{name}" for name in "abc" if f"{{{name}}}" in source}
    assert (sets, sets_any) == (set(), set())
