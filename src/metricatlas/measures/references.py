"""Where measures come from: the works that their declarations cite, by key."""

REFERENCES: dict[str, str] = {
    "austin2019": (
        "P. C. Austin, E. W. Steyerberg (2019). The Integrated Calibration Index (ICI) and "
        "related metrics for quantifying the calibration of logistic regression models. "
        "Statistics in Medicine 38, 4051-4065."
    ),
    "bangdiwala1985": (
        "S. I. Bangdiwala (1985). A graphical test for observer agreement. 45th Session of the "
        "International Statistical Institute."
    ),
    "benjamini1995": (
        "Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate. Journal of the "
        "Royal Statistical Society B 57, 289-300."
    ),
    "bennett1954": (
        "E. M. Bennett, R. Alpert, A. C. Goldstein (1954). Communications through "
        "limited-response questioning. Public Opinion Quarterly 18, 303-308."
    ),
    "blakeley1995": (
        "D. D. Blakeley, E. Z. Oddone, V. Hasselblad, D. L. Simel, D. B. Matchar (1995). "
        "Noninvasive carotid artery testing. Annals of Internal Medicine 122, 360-367."
    ),
    "boyd2013": (
        "K. Boyd, K. H. Eng, C. D. Page (2013). Area under the precision-recall curve: point "
        "estimates and confidence intervals. ECML PKDD."
    ),
    "braunblanquet1932": (
        "J. Braun-Blanquet (1932). Plant sociology: the study of plant communities. McGraw-Hill."
    ),
    "brennan1981": (
        "R. L. Brennan, D. J. Prediger (1981). Coefficient kappa: some uses, misuses, and "
        "alternatives. Educational and Psychological Measurement 41, 687-699."
    ),
    "brier1950": (
        "G. W. Brier (1950). Verification of forecasts expressed in terms of probability. Monthly "
        "Weather Review 78, 1-3."
    ),
    "brodersen2010": (
        "K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann (2010). The balanced accuracy "
        "and its posterior distribution. ICPR, 3121-3124."
    ),
    "caruana2004": (
        "R. Caruana, A. Niculescu-Mizil (2004). Data mining in metric space: an empirical "
        "analysis of supervised learning performance criteria. KDD, 69-78."
    ),
    "cohen1960": (
        "J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and "
        "Psychological Measurement 20, 37-46."
    ),
    "cohen1968": (
        "J. Cohen (1968). Weighted kappa: nominal scale agreement with provision for scaled "
        "disagreement or partial credit. Psychological Bulletin 70, 213-220."
    ),
    "cox1958": (
        "D. R. Cox (1958). Two further applications of a model for binary regression. Biometrika "
        "45, 562-565."
    ),
    "cramer1946": (
        "H. Cramer (1946). Mathematical methods of statistics. Princeton University Press."
    ),
    "davis2006": (
        "J. Davis, M. Goadrich (2006). The relationship between precision-recall and ROC curves. "
        "ICML, 233-240."
    ),
    "deeks2004": (
        "J. J. Deeks, D. G. Altman (2004). Diagnostic tests 4: likelihood ratios. BMJ 329, 168-169."
    ),
    "delgado2019": (
        "R. Delgado, J. D. Nunez-Gonzalez (2019). Enhancing confusion entropy (CEN) for binary "
        "and multiclass classification. PLoS ONE 14, e0210264."
    ),
    "dice1945": (
        "L. R. Dice (1945). Measures of the amount of ecologic association between species. "
        "Ecology 26, 297-302."
    ),
    "dimitriadis2021": (
        "T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for "
        "probabilistic classifiers. PNAS 118, e2016191118."
    ),
    "elkan2001": "C. Elkan (2001). The foundations of cost-sensitive learning. IJCAI, 973-978.",
    "epstein1969": (
        "E. S. Epstein (1969). A scoring system for probability forecasts of ranked categories. "
        "Journal of Applied Meteorology 8, 985-987."
    ),
    "ferrer2022": (
        "L. Ferrer (2022). Analysis and comparison of classification metrics. arXiv:2209.05355."
    ),
    "ferri2005": (
        "C. Ferri, P. Flach, J. Hernandez-Orallo, A. Senad (2005). Modifying ROC curves to "
        "incorporate predicted probabilities. ROC Analysis in Machine Learning workshop, ICML."
    ),
    "ferri2009": (
        "C. Ferri, J. Hernandez-Orallo, R. Modroiu (2009). An experimental comparison of "
        "performance measures for classification. Pattern Recognition Letters 30, 27-38."
    ),
    "flach2007": (
        "P. A. Flach, E. T. Matsubara (2007). A simple lexicographic ranker and probability "
        "estimator. ECML."
    ),
    "flach2015": (
        "P. A. Flach, M. Kull (2015). Precision-recall-gain curves: PR analysis done right. "
        "NeurIPS."
    ),
    "fowlkes1983": (
        "E. B. Fowlkes, C. L. Mallows (1983). A method for comparing two hierarchical "
        "clusterings. Journal of the American Statistical Association 78, 553-569."
    ),
    "garcia2009": (
        "V. Garcia, R. A. Mollineda, J. S. Sanchez (2009). Index of balanced accuracy: a "
        "performance measure for skewed class distributions. IbPRIA, 441-448."
    ),
    "gilbert1884": (
        "G. K. Gilbert (1884). Finley's tornado predictions. American Meteorological Journal 1, "
        "166-172."
    ),
    "giudici2003": (
        "P. Giudici (2003). Applied data mining: statistical methods for business and industry. "
        "Wiley."
    ),
    "glas2003": (
        "A. S. Glas, J. G. Lijmer, M. H. Prins, G. J. Bonsel, P. M. M. Bossuyt (2003). The "
        "diagnostic odds ratio: a single indicator of test performance. Journal of Clinical "
        "Epidemiology 56, 1129-1135."
    ),
    "gneiting2007": (
        "T. Gneiting, A. E. Raftery (2007). Strictly proper scoring rules, prediction, and "
        "estimation. Journal of the American Statistical Association 102, 359-378."
    ),
    "good1952": (
        "I. J. Good (1952). Rational decisions. Journal of the Royal Statistical Society B 14, "
        "107-114."
    ),
    "goodman1954": (
        "L. A. Goodman, W. H. Kruskal (1954). Measures of association for cross classifications. "
        "Journal of the American Statistical Association 49, 732-764."
    ),
    "gorodkin2004": (
        "J. Gorodkin (2004). Comparing two K-category assignments by a K-category correlation "
        "coefficient. Computational Biology and Chemistry 28, 367-374."
    ),
    "guo2017": (
        "C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern neural "
        "networks. ICML, 1321-1330."
    ),
    "guyon2015": "I. Guyon and others (2015). Design of the 2015 ChaLearn AutoML challenge. IJCNN.",
    "gwet2008": (
        "K. L. Gwet (2008). Computing inter-rater reliability and its variance in the presence of "
        "high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48."
    ),
    "hand2001": (
        "D. J. Hand, R. J. Till (2001). A simple generalisation of the area under the ROC curve "
        "for multiple class classification problems. Machine Learning 45, 171-186."
    ),
    "hand2009": (
        "D. J. Hand (2009). Measuring classifier performance: a coherent alternative to the area "
        "under the ROC curve. Machine Learning 77, 103-123."
    ),
    "hand2014": (
        "D. J. Hand, C. Anagnostopoulos (2014). A better Beta for the H measure of classification "
        "performance. Pattern Recognition Letters 40, 41-46."
    ),
    "hanley1982": (
        "J. A. Hanley, B. J. McNeil (1982). The meaning and use of the area under a receiver "
        "operating characteristic (ROC) curve. Radiology 143, 29-36."
    ),
    "hayes2007": (
        "A. F. Hayes, K. Krippendorff (2007). Answering the call for a standard reliability "
        "measure for coding data. Communication Methods and Measures 1, 77-89."
    ),
    "heidke1926": (
        "P. Heidke (1926). Berechnung des Erfolges und der Guete der Windstaerkevorhersagen im "
        "Sturmwarnungsdienst. Geografiska Annaler 8, 301-349."
    ),
    "hendrycks2019": (
        "D. Hendrycks, M. Mazeika, T. Dietterich (2019). Deep anomaly detection with outlier "
        "exposure. ICLR."
    ),
    "hosmer1980": (
        "D. W. Hosmer, S. Lemeshow (1980). Goodness of fit tests for the multiple logistic "
        "regression model. Communications in Statistics 9, 1043-1069."
    ),
    "huang2007": (
        "J. Huang, C. X. Ling (2007). Constructing new and better evaluation measures for machine "
        "learning. IJCAI, 859-864."
    ),
    "jaccard1901": (
        "P. Jaccard (1901). Etude comparative de la distribution florale dans une portion des "
        "Alpes et des Jura. Bulletin de la Societe Vaudoise des Sciences Naturelles 37, 547-579."
    ),
    "jurman2010": (
        "G. Jurman, C. Furlanello (2010). A unifying view for performance measures in multi-class "
        "prediction. arXiv:1008.2908."
    ),
    "kleiman2019": (
        "R. Kleiman, D. Page (2019). AUC-mu: a performance metric for multi-class machine "
        "learning models. ICML."
    ),
    "kolmogorov1933": (
        "A. Kolmogorov (1933). Sulla determinazione empirica di una legge di distribuzione. "
        "Giornale dell'Istituto Italiano degli Attuari 4, 83-91."
    ),
    "kononenko1991": (
        "I. Kononenko, I. Bratko (1991). Information-based evaluation criterion for classifier's "
        "performance. Machine Learning 6, 67-80."
    ),
    "krippendorff1970": (
        "K. Krippendorff (1970). Estimating the reliability, systematic error and random error of "
        "interval data. Educational and Psychological Measurement 30, 61-70."
    ),
    "kubat1998": (
        "M. Kubat, R. C. Holte, S. Matwin (1998). Machine learning for the detection of oil "
        "spills in satellite radar images. Machine Learning 30, 195-215."
    ),
    "kumar2019": "A. Kumar, P. Liang, T. Ma (2019). Verified uncertainty calibration. NeurIPS.",
    "kvalseth1987": (
        "T. O. Kvalseth (1987). Entropy and correlation: some comments. IEEE Transactions on "
        "Systems, Man, and Cybernetics 17, 517-519."
    ),
    "manning2008": (
        "C. D. Manning, P. Raghavan, H. Schuetze (2008). Introduction to information retrieval. "
        "Cambridge University Press."
    ),
    "martin1997": (
        "A. Martin, G. Doddington, T. Kamm, M. Ordowski, M. Przybocki (1997). The DET curve in "
        "assessment of detection task performance. Eurospeech, 1895-1898."
    ),
    "matthews1975": (
        "B. W. Matthews (1975). Comparison of the predicted and observed secondary structure of "
        "T4 phage lysozyme. Biochimica et Biophysica Acta 405, 442-451."
    ),
    "mcclish1989": (
        "D. K. McClish (1989). Analyzing a portion of the ROC curve. Medical Decision Making 9, "
        "190-195."
    ),
    "mcfadden1974": (
        "D. McFadden (1974). Conditional logit analysis of qualitative choice behavior. Frontiers "
        "in Econometrics."
    ),
    "meila2007": (
        "M. Meila (2007). Comparing clusterings - an information based distance. Journal of "
        "Multivariate Analysis 98, 873-895."
    ),
    "mosley2013": (
        "L. Mosley (2013). A balanced approach to the multi-class imbalance problem. PhD thesis, "
        "Iowa State University."
    ),
    "mossman1999": "D. Mossman (1999). Three-way ROCs. Medical Decision Making 19, 78-89.",
    "mower2005": (
        "J. P. Mower (2005). PREP-Mt: predictive RNA editor for plant mitochondrial genes. BMC "
        "Bioinformatics 6, 96."
    ),
    "munoz1997": (
        "S. R. Munoz, S. I. Bangdiwala (1997). Interpretation of kappa and B statistics measures "
        "of agreement. Journal of Applied Statistics 24, 105-112."
    ),
    "murphy1973": (
        "A. H. Murphy (1973). A new vector partition of the probability score. Journal of Applied "
        "Meteorology 12, 595-600."
    ),
    "naeini2015": (
        "M. P. Naeini, G. F. Cooper, M. Hauskrecht (2015). Obtaining well calibrated "
        "probabilities using Bayesian binning. AAAI, 2901-2907."
    ),
    "nakas2004": (
        "C. T. Nakas, C. T. Yiannoutsos (2004). Ordered multiple-class ROC analysis with "
        "continuous measurements. Statistics in Medicine 23, 3437-3449."
    ),
    "nguyen2015": (
        "K. Nguyen, B. O'Connor (2015). Posterior calibration and exploratory analysis for "
        "natural language processing models. EMNLP."
    ),
    "nixon2019": (
        "J. Nixon, M. W. Dusenberry, L. Zhang, G. Jerfel, D. Tran (2019). Measuring calibration "
        "in deep learning. CVPR workshops."
    ),
    "pearson1900": (
        "K. Pearson (1900). On the criterion that a given system of deviations from the probable "
        "in the case of a correlated system of variables is such that it can be reasonably "
        "supposed to have arisen from random sampling. Philosophical Magazine 50, 157-175."
    ),
    "peirce1884": (
        "C. S. Peirce (1884). The numerical measure of the success of predictions. Science 4, "
        "453-454."
    ),
    "perkins2006": (
        "N. J. Perkins, E. F. Schisterman (2006). The inconsistency of optimal cutpoints obtained "
        "using two criteria based on the receiver operating characteristic curve. American "
        "Journal of Epidemiology 163, 670-675."
    ),
    "powers2011": (
        "D. M. W. Powers (2011). Evaluation: from precision, recall and F-measure to ROC, "
        "informedness, markedness and correlation. Journal of Machine Learning Technologies 2, "
        "37-63."
    ),
    "provost2001": (
        "F. Provost, T. Fawcett (2001). Robust classification for imprecise environments. Machine "
        "Learning 42, 203-231."
    ),
    "ranawana2006": (
        "R. Ranawana, V. Palade (2006). Optimized precision - a new measure for classifier "
        "performance evaluation. IEEE CEC, 2254-2261."
    ),
    "russakovsky2015": (
        "O. Russakovsky and others (2015). ImageNet large scale visual recognition challenge. "
        "International Journal of Computer Vision 115, 211-252."
    ),
    "schaefer1990": (
        "J. T. Schaefer (1990). The critical success index as an indicator of warning skill. "
        "Weather and Forecasting 5, 570-575."
    ),
    "scott1955": (
        "W. A. Scott (1955). Reliability of content analysis: the case of nominal scale coding. "
        "Public Opinion Quarterly 19, 321-325."
    ),
    "seliya2009": (
        "N. Seliya, T. M. Khoshgoftaar, J. Van Hulse (2009). A study on the relationships of "
        "classifier performance metrics. ICTAI, 59-66."
    ),
    "shannon1948": (
        "C. E. Shannon (1948). A mathematical theory of communication. Bell System Technical "
        "Journal 27, 379-423."
    ),
    "simpson1943": (
        "G. G. Simpson (1943). Mammals and the nature of continents. American Journal of Science "
        "241, 1-31."
    ),
    "sindhwani2001": (
        "V. Sindhwani, P. Bhattacharya, S. Rakshit (2001). Information theoretic feature "
        "crediting in multiclass support vector machines. SIAM International Conference on Data "
        "Mining."
    ),
    "sitarz2023": (
        "M. Sitarz (2023). Extending F1 metric, probabilistic approach. Advances in Artificial "
        "Intelligence and Machine Learning 3, 1025-1038."
    ),
    "sokolova2006": (
        "M. Sokolova, N. Japkowicz, S. Szpakowicz (2006). Beyond accuracy, F-score and ROC: a "
        "family of discriminant measures for performance evaluation. Australian Conference on "
        "Artificial Intelligence, 1015-1021."
    ),
    "somers1962": (
        "R. H. Somers (1962). A new asymmetric measure of association for ordinal variables. "
        "American Sociological Review 27, 799-811."
    ),
    "spiegelhalter1986": (
        "D. J. Spiegelhalter (1986). Probabilistic prediction in patient management and clinical "
        "trials. Statistics in Medicine 5, 421-433."
    ),
    "theil1970": (
        "H. Theil (1970). On the estimation of relationships involving qualitative variables. "
        "American Journal of Sociology 76, 103-154."
    ),
    "tjur2009": (
        "T. Tjur (2009). Coefficients of determination in logistic regression models - a new "
        "proposal: the coefficient of discrimination. The American Statistician 63, 366-372."
    ),
    "tversky1977": "A. Tversky (1977). Features of similarity. Psychological Review 84, 327-352.",
    "vancalster2019": (
        "B. Van Calster, D. J. McLernon, M. van Smeden, L. Wynants, E. W. Steyerberg (2019). "
        "Calibration: the Achilles heel of predictive analytics. BMC Medicine 17, 230."
    ),
    "vanrijsbergen1979": "C. J. van Rijsbergen (1979). Information retrieval. Butterworths.",
    "vanson1995": (
        "R. J. J. H. van Son (1995). A method to quantify the error distribution in confusion "
        "matrices. Eurospeech, 2277-2280."
    ),
    "vickers2006": (
        "A. J. Vickers, E. B. Elkin (2006). Decision curve analysis: a novel method for "
        "evaluating prediction models. Medical Decision Making 26, 565-574."
    ),
    "wei2010": (
        "J.-M. Wei, X.-J. Yuan, Q.-H. Hu, S.-Q. Wang (2010). A novel measure for evaluating "
        "classifiers. Expert Systems with Applications 37, 3799-3809."
    ),
    "wilks2011": (
        "D. S. Wilks (2011). Statistical methods in the atmospheric sciences. 3rd edition, "
        "Academic Press."
    ),
    "wu2005": (
        "S. Wu, P. Flach (2005). A scored AUC metric for classifier evaluation and selection. ROC "
        "Analysis in Machine Learning workshop, ICML."
    ),
    "yerushalmy1947": (
        "J. Yerushalmy (1947). Statistical problems in assessing methods of medical diagnosis, "
        "with special reference to X-ray techniques. Public Health Reports 62, 1432-1449."
    ),
    "youden1950": "W. J. Youden (1950). Index for rating diagnostic tests. Cancer 3, 32-35.",
    "yule1900": (
        "G. U. Yule (1900). On the association of attributes in statistics. Philosophical "
        "Transactions of the Royal Society A 194, 257-319."
    ),
    "yule1912": (
        "G. U. Yule (1912). On the methods of measuring association between two attributes. "
        "Journal of the Royal Statistical Society 75, 579-652."
    ),
}
