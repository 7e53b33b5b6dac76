"""Several models on many data sets, or on the folds of one."""
