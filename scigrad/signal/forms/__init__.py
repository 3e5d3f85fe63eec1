"""Forms of a filter (polynomials, zeros and poles, sections, partial fractions), and changes of
band and of time.
"""
