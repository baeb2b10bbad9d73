"""What every history keeps to, for users: `from runtime.grammar import check_grammar`."""

from runtime.core.grammar import GrammarError as GrammarError
from runtime.core.grammar import check_grammar as check_grammar
