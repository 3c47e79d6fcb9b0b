package backup

import "strings"

// mlflowHistory are the revisions of MLflow 2.0 to 3.17 in their order. The first of a line creates the line's tables.
var mlflowHistory = []struct{ revisions, tables string }{
	{"451aebb31d03 90e64c465722 181f10493468", "experiments metrics params runs tags"},
	{"df50e92ffc5e 7ac759974ad8", "experiment_tags"},
	{"89d4b8295536", "latest_metrics"},
	{"2b4d017a5e9b cfd24bdc0731 0a8213491aaa", "model_versions registered_models"},
	{"728d730b5ebd", "registered_model_tags"},
	{"27a6a02d2cf1 84291f40a231 a8c4a736bde6 39d1c3be5f05 c48cb773bb87 bd07f7e963c5 0c779009ac13 cc1f77228345 " +
		"97727af70f4d", "model_version_tags"},
	{"3500859a5d39", "registered_model_aliases"},
	{"7f2a7d5fae7d 2d6e25af4d3e acf3f17fdcc7", "datasets input_tags inputs"},
	{"867495a8f9d4 5b0e9adcef9c 4465047574b1 f5a4f2784254 0584bdc529eb",
		"trace_info trace_request_metadata trace_tags"},
	{"400f98739977 6953534de441 bda7b8c39065 cbc13b556ace",
		"logged_model_metrics logged_model_params logged_model_tags logged_models"},
	{"770bee3ae1dd", "assessments"},
	{"a1b2c3d4e5f6", "spans"},
	{"de4033877273", "entity_associations"},
	{"1a0cddfcaa16", "webhook_events webhooks"},
	{"534353b11cbc", "scorer_versions scorers"},
	{"71994744cf8e 3da73c924c2f", "evaluation_dataset_records evaluation_dataset_tags evaluation_datasets"},
	{"bf29a5ff90ea", "jobs"},
	{"1bd49d398cd23", "endpoint_bindings endpoint_model_mappings endpoint_tags endpoints model_definitions secrets"},
	{"b7c8d9e0f1a2 5d2d30f0abce c9d4e5f6a7b8", "trace_metrics"},
	{"2c33131f4dae d3e4f5a6b7c8 d0e1f2a3b4c5", "online_scoring_configs"},
	{"c8d9e0f1a2b3", "span_metrics"},
	{"1b5f0d9ad7c1", "workspaces"},
	{"e1f2a3b4c5d6", "budget_policies"},
	{"76601a5f987d c3d6457b6d8a a5b4c3d2e1f0", "issues"},
	{"ae8bbe7743c9 7d34483879f0 da6fb0208061", "guardrail_configs guardrails"},
	{"89d3d66ed43f", "label_schemas"},
	{"b7e4c1a90f23", "review_queue_items review_queue_label_schemas review_queue_users review_queues"},
	{"a8b9c0d1e2f3 c1d2e3f4a5b6 c3d9e7f1a2b4 6f8d9c3b2a1e 1971f2d9a75b 17e22815139b b7e2c1a4d9f3",
		"mcp_access_endpoints mcp_server_aliases mcp_server_tags mcp_server_version_tags mcp_server_versions mcp_servers"},
	{"75868b020152", "sql_assessment_daily_rollups sql_span_cost_daily_rollups sql_trace_metric_daily_rollups " +
		"sql_trace_rollup_rebuild_queue"},
	{"dc11669786a5", "job_locks scheduler_leases"},
}

// mlflowTables returns the tables that MLflow has at a revision, except the one that names the revision. Other programs
// that share the database may have tables with names that MLflow uses later, such as jobs. The revision of a newer
// MLflow is not known; then mlflowTables returns all names.
func mlflowTables(revision string) (names []string) {
	for _, h := range mlflowHistory {
		names = append(names, strings.Fields(h.tables)...)
		for known := range strings.FieldsSeq(h.revisions) {
			if known == revision {
				return names
			}
		}
	}
	return names
}
