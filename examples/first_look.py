"""Which of three models is best, and according to which measures."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import metricatlas as ma

LABELS = ["acc", "kappa", "mcc", "f1", "recall", "specificity", "ppv"]
RANKING = ["auc", "ap", "ks"]
PROBABILITIES = ["brier", "log_loss"]

# Is a tumour malignant or benign?
data = load_breast_cancer()
diagnosis = data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(
    data.data, diagnosis, test_size=0.5, stratify=diagnosis, random_state=0
)
models = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "random forest": RandomForestClassifier(random_state=0, n_jobs=1),
    "naive Bayes": GaussianNB(),
}
probabilities = {
    name: model.fit(X_train, y_train).predict_proba(X_test) for name, model in models.items()
}

# Every measure for every model. The positive class is the one to be found.
m = ma.evaluate(y_test, probabilities, pos_label="malignant")
print(m.select([*LABELS, *RANKING, *PROBABILITIES]))

# Who wins? Once every measure is turned so that higher is better, the largest value does.
values = m.oriented().values
wins = (values == np.fmax.reduce(values, axis=0)).sum(axis=1)
print(f"\n{len(m.columns)} measures in all. A model is best, alone or tied, under so many of them:")
for name, count in zip(models, wins, strict=True):
    print(f"  {name:20} {count:3}")

m.save("first_look.parquet")
print("\nAll of it is in first_look.parquet: ma.Measurements.load('first_look.parquet')")
