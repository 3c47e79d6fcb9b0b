package backup

// MLflowTables is mlflowTables.
var MLflowTables = mlflowTables
