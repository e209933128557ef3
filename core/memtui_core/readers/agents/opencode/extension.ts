// memtui for OpenCode and Kilo: what `memtui hook` remembers of prompts and files. Made by memtui; changes are overwritten.
import { spawn } from "node:child_process";

const COMMAND: string[] = ["memtui"];
const OPTIONS: string[] = [];
const HOOK_LIMIT = 10_000;

declare function remembered(event: string, call: object): Promise<string>;

export const Memtui = async ({ directory }: any) => ({
  "chat.message": async (input: any, output: any) => {
    const typed = output.parts.filter((part: any) => part.type === "text" && !part.synthetic);
    const prompt = typed.map((part: any) => part.text).join("\n");
    const text = await remembered("UserPromptSubmit", { session_id: input.sessionID, cwd: directory, prompt });
    if (!text || typed.length === 0) return;
    // Parts are ordered by their ids.
    output.parts.push({ ...typed.at(-1), id: `${typed.at(-1).id}m`, text, synthetic: true });
  },
  "tool.execute.after": async (input: any, output: any) => {
    if (!["read", "edit", "write"].includes(input.tool)) return;
    const fields = { tool_name: input.tool, tool_input: input.args };
    const text = await remembered("PreToolUse", { session_id: input.sessionID, cwd: directory, ...fields });
    if (text) output.output += `\n\n${text}`;
  },
});
