"""The messages that Warp stores, as far as they are read.

Learned from the definitions that Warp publishes, warpdotdev/warp-proto-apis, in `apis/multi_agent/v1`: `task.proto`
(00f7916), `input_context.proto` (0724788), `attachment.proto` (00cd1cd), `file_content.proto` (140826f),
`document_content.proto` (c316099), `todo.proto` (a7e97db) and `skill.proto` (20d1b3c). The client has tools that are
not in these yet.
"""

from __future__ import annotations

from functools import cache
from typing import Final

IGNORED: Final = "-"
"""The type of a field that is not read: what only the server understands, and data of pictures."""

_MESSAGES: Final = """
Task: 1 id, 2 description, 3 dependencies Dependencies, 5 messages* raw, 6 summary, 8 server_data -
Dependencies: 1 parent_task_id
Timestamp: 1 seconds int, 2 nanos int
Empty:
Message: 1 id, 11 task_id, 13 request_id, 14 timestamp Timestamp, 7 server_message_data -, 8 citations* -,
 2 user_query UserQuery, 3 agent_output Text, 4 tool_call ToolCall, 5 tool_call_result ToolCallResult, 6 server_event -,
 9 system_query SystemQuery, 10 update_todos UpdateTodos, 15 agent_reasoning Reasoning, 16 summarization Summarization,
 17 code_review CodeReview, 18 update_review_comments -, 19 web_search WebSearch, 20 web_fetch WebFetch,
 21 debug_output Text, 22 artifact_event ArtifactEvent, 23 invoke_skill InvokeSkill,
 24 messages_received_from_agents AgentMessages, 25 model_used Model, 26 events_from_agents -
Text: 1 text
Reasoning: 1 reasoning, 2 finished_duration -
UserQuery: 1 query, 2 context Context, 3 attachments* Attachments, 4 mode -, 5 intended_agent -
Context: 1 directory Directory, 2 operating_system -, 3 shell -, 4 current_time -, 5 commands* Command,
 6 selected_text* Text, 7 images* Image, 8 codebases* -, 9 files* -, 10 project_rules* -
Directory: 1 pwd, 2 home -, 3 indexed -
Command: 1 command, 2 output, 3 exit_code int, 4 id -, 5 started -, 6 finished -, 7 is_auto_attached -
Image: 1 data -, 2 mime_type
Attachment: 1 plain_text, 2 executed_shell_command Command, 3 running_shell_command Running, 4 drive_object any,
 5 diff_hunk Hunk, 6 diff_set DiffSet, 7 document_content Document, 8 file_path_reference Path
Running: 1 command, 2 snapshot Snapshot
Snapshot: 1 output, 2 cursor -, 3 command_id, 4 is_alt_screen_active -, 5 is_preempted -, 6 activity -
DiffSet: 1 hunks* Hunk, 2 current -, 3 base -
Hunk: 1 file_path, 2 line_range -, 3 diff_content, 4 added -, 5 removed -
Path: 1 file_path
Document: 1 document_id, 2 content, 3 line_range Range
Range: 1 start int, 2 end int
File: 1 file_path, 2 content, 3 line_range Range
SystemQuery: 1 auto_code_diff Query, 2 context Context, 3 resume_conversation Empty, 4 passive_suggestions -,
 5 create_new_project Query, 6 clone_repository Query, 7 summarize_conversation Query, 8 fetch_review_comments Query
Query: 1 query
UpdateTodos: 1 create_todo_list Todos, 2 update_pending_todos Todos, 3 mark_todos_completed Done
Todos: 1 todos* Todo
Todo: 1 id, 2 title, 3 description
Done: 1 todo_ids* text
Summarization: 1 conversation_summary Summary, 2 finished_duration -, 3 tool_call_result_summary -
Summary: 1 summary, 2 token_count int
CodeReview: 1 comments Comments
Comments: 1 pending_comments* Comment, 2 completed_comments* -, 3 diff_set -
Comment: 1 id, 2 comment, 3 commented_line Hunk, 4 commented_file Path, 5 commented_diffset -
WebSearch: 1 status SearchStatus
SearchStatus: 1 searching Query, 2 success Found, 3 error Empty
Found: 1 query, 2 pages* Page
Page: 1 url, 2 title, 3 success bool
WebFetch: 1 status FetchStatus
FetchStatus: 1 fetching Urls, 2 success Fetched, 3 error Empty
Urls: 1 urls* text
Fetched: 1 pages* Page
ArtifactEvent: 1 created Artifact
Artifact: 1 pull_request PullRequest, 2 screenshot -
PullRequest: 1 url, 2 branch
InvokeSkill: 1 skill Skill, 2 user_query UserQuery
Skill: 1 descriptor SkillName, 2 content -
SkillName: 1 path, 2 name, 3 description -, 4 bundled_skill_id, 5 provider -, 6 scope -
AgentMessages: 1 messages* AgentMessage
AgentMessage: 1 message_id, 2 sender_agent_id, 3 addresses* text, 4 subject, 5 message_body
Model: 1 model_id, 2 model_display_name, 3 is_fallback -
ToolCall: 1 tool_call_id, 2 run_shell_command Shell, 3 search_codebase SearchCodebase, 4 server Payload,
 5 read_files ReadFiles, 6 apply_file_diffs Diffs, 7 suggest_plan Plan, 8 suggest_create_plan Empty, 9 grep Grep,
 10 file_glob Glob, 11 read_mcp_resource Resource, 12 call_mcp_tool CallMcp,
 13 write_to_long_running_shell_command Write, 14 suggest_new_conversation any, 15 file_glob_v2 Glob2,
 16 suggest_prompt any, 17 open_code_review Empty, 18 init_project Empty, 19 subagent Subagent,
 20 read_documents ReadDocuments, 21 edit_documents EditDocuments, 22 create_documents CreateDocuments,
 23 read_shell_command_output ReadOutput, 24 use_computer UseComputer, 25 insert_review_comments any,
 26 read_skill ReadSkill, 27 request_computer_use Reason, 28 fetch_conversation Fetch, 29 start_agent StartAgent,
 30 send_message_to_agent SendMessage, 31 transfer_shell_command_control_to_user Reason
Shell: 1 command, 2 is_read_only bool, 3 uses_pager -, 4 citations* -, 5 is_risky bool, 6 wait_until_complete bool,
 7 risk_category -
SearchCodebase: 1 query, 2 path_filters* text, 3 codebase_path
Payload: 1 payload
ReadFiles: 1 files* Lines
Lines: 1 path, 2 line_ranges* Range
Diffs: 1 summary, 2 diffs* Replacement, 3 new_files* File, 4 deleted_files* Path, 5 v4a_updates* Update
Replacement: 1 file_path, 2 search, 3 replace
Update: 1 file_path, 2 move_to, 3 hunks* UpdateHunk
UpdateHunk: 1 change_context* text, 2 pre_context, 3 old, 4 new, 5 post_context
Plan: 1 summary, 2 proposed_tasks* PlannedTask
PlannedTask: 1 id, 2 description
Grep: 1 queries* text, 2 path
Glob: 1 patterns* text, 2 path
Glob2: 1 patterns* text, 2 path, 3 max_matches int, 4 max_depth int, 5 min_depth int
Resource: 1 uri, 2 server_id
CallMcp: 1 name, 2 args Struct, 3 server_id
Write: 1 input, 2 mode -, 3 command_id
Subagent: 1 task_id, 2 payload, 3 cli any, 4 research any, 5 advice any, 6 computer_use any, 7 summarization any,
 8 conversation_search any, 9 warp_documentation_search any
ReadDocuments: 1 documents* DocumentLines
DocumentLines: 1 document_id, 2 line_ranges* Range
EditDocuments: 1 diffs* DocumentReplacement
DocumentReplacement: 1 document_id, 2 search, 3 replace
CreateDocuments: 1 new_documents* NewDocument
NewDocument: 1 content, 2 title
ReadOutput: 1 command_id, 2 duration -, 3 on_completion -
UseComputer: 1 actions* -, 2 screenshot -, 3 action_summary
ReadSkill: 1 path, 2 bundled_skill_id, 3 name
Reason: 1 reason, 2 screenshot -
Fetch: 1 conversation_id
StartAgent: 1 name, 2 prompt, 3 lifecycle_subscription -
SendMessage: 1 addresses* text, 2 subject, 3 message
ToolCallResult: 1 tool_call_id, 11 context Context, 2 run_shell_command ShellResult, 3 search_codebase FilesResult,
 4 server Payload, 5 read_files FilesResult, 6 apply_file_diffs DiffsResult, 7 suggest_plan PlanResult,
 8 suggest_create_plan Accepted, 9 grep GrepResult, 10 file_glob GlobResult, 14 cancel Empty,
 15 read_mcp_resource ResourcesResult, 16 call_mcp_tool McpResult, 17 write_to_long_running_shell_command OutputResult,
 18 suggest_new_conversation any, 19 file_glob_v2 Glob2Result, 20 suggest_prompt any, 21 open_code_review Empty,
 22 init_project Empty, 23 subagent Payload, 24 read_documents DocumentsResult, 25 edit_documents DocumentsResult,
 26 create_documents DocumentsResult, 27 read_shell_command_output CommandOutputResult, 28 use_computer ComputerResult,
 29 insert_review_comments ReviewResult, 30 read_skill SkillResult, 31 request_computer_use_result ApprovalResult,
 32 fetch_conversation FetchResult, 33 start_agent AgentResult, 34 send_message_to_agent AgentResult,
 35 transfer_shell_command_control_to_user OutputResult
ShellResult: 1 output, 2 exit_code int, 3 command, 4 snapshot Snapshot, 5 command_finished Finished,
 6 permission_denied Empty
Finished: 1 output, 2 exit_code int, 3 command_id
Error: 1 message
OutputResult: 1 snapshot Snapshot, 2 command_finished Finished, 3 error Empty
CommandOutputResult: 1 command, 2 snapshot Snapshot, 3 command_finished Finished, 4 error Empty
FilesResult: 1 success Files, 2 error Error, 3 any_files AnyFiles
Files: 1 files* File
AnyFiles: 1 files* AnyFile
AnyFile: 5 binary Path, 6 text File
DiffsResult: 1 success DiffsSuccess, 2 error Error
DiffsSuccess: 1 updated_files* Path, 2 updated_files_v2* Updated, 3 deleted_files* Path
Updated: 1 file Path, 2 was_edited_by_user bool
PlanResult: 1 accepted Empty, 2 user_edited_plan Text
Accepted: 1 accepted bool
GrepResult: 1 success GrepFiles, 2 error Error
GrepFiles: 1 files* GrepFile
GrepFile: 1 file_path, 2 lines* GrepLine
GrepLine: 1 number int
GlobResult: 1 success Text, 2 error Error
Glob2Result: 1 success Glob2Files, 2 error Error
Glob2Files: 1 files* Path, 2 warnings
ResourcesResult: 1 success Resources, 2 error Error
Resources: 1 contents* ResourceContent
ResourceText: 1 text, 2 mime_type -
ResourceContent: 1 uri, 2 text ResourceText, 3 binary Image
McpResult: 1 success McpContents, 2 error Error
McpContents: 1 contents* McpContent
McpContent: 1 text Text, 2 image Image, 3 resource ResourceContent
DocumentsResult: 1 success Documents, 2 error Error
Documents: 1 documents* Document
ComputerResult: 1 success -, 2 error Error
ReviewResult: 1 repo_path, 2 success Empty, 3 error Error
SkillResult: 1 success SkillContent, 2 error Error
SkillContent: 1 file File
ApprovalResult: 1 approved -, 2 rejected Empty, 3 error Error
FetchResult: 1 success Folder, 2 error Error
Folder: 2 directory_path
AgentResult: 1 success Id, 2 error Error
Id: 1 id
"""
"""A line for each kind of message, with the number, name and type of each field; `*` is for fields that repeat.

Names are those of Warp, except where one name for several kinds makes reading them simpler.
"""


def field_of(kind: str, number: int) -> tuple[str, str, bool]:
    """The name and the type of a field, and whether it repeats; an unknown one has its number as its name."""
    return _schema().get(kind, {}).get(number, (str(number), "any", True))


@cache
def _schema() -> dict[str, dict[int, tuple[str, str, bool]]]:
    kinds: dict[str, dict[int, tuple[str, str, bool]]] = {}
    for line in _MESSAGES.replace("\n ", " ").strip().splitlines():
        kind, _, fields = line.partition(":")
        kinds[kind] = dict(_field(field.split()) for field in fields.split(",") if field.strip())
    return kinds


def _field(words: list[str]) -> tuple[int, tuple[str, str, bool]]:
    number, name, kind = [*words, "text"][:3]
    return int(number), (name.removesuffix("*"), kind, name.endswith("*"))
