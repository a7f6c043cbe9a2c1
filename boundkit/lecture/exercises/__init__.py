"""The numbers of the exercises: a module a chapter, a function an exercise.

Each function draws the numbers of a task, computes its solution with boundkit, and returns both by name. The
text that they are put into is the exercise's directive in the chapter.
"""
