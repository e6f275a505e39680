def compare_vectors():
    pass
