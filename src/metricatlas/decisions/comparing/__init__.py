"""Several models on the same examples: values, intervals, winners, and where measures disagree."""
