// memtui for Pi: the tools of `memtui mcp`, and what `memtui hook` remembers. Made by memtui; changes are overwritten.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

const COMMAND: string[] = ["memtui"];
const OPTIONS: string[] = [];
const START_LIMIT = 10_000;
const HOOK_LIMIT = 10_000;
const MISSING =
  "memtui is not installed, or not on the PATH: its tools are missing. Install it (pipx install memtui, or uv tool install memtui), then /reload.";

type Waiting = { resolve: (value: any) => void; reject: (error: Error) => void };

/** The MCP server `memtui mcp`, started with the first request and again after its end. */
class Server {
  private child?: ChildProcess;
  private waiting = new Map<number, Waiting>();
  private last = 0;
  private ready?: Promise<any>;

  request(method: string, params: object, signal?: AbortSignal): Promise<any> {
    this.ready ??= this.start();
    return this.ready.then(() => this.send(method, params, signal));
  }

  stop(): void {
    this.child?.stdin?.end();
    this.child?.kill();
  }

  private start(): Promise<any> {
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "mcp", ...OPTIONS], { stdio: ["pipe", "pipe", "ignore"] });
    this.child = child;
    const ended = (error: Error) => {
      if (this.child !== child) return;
      this.child = undefined;
      this.ready = undefined;
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    };
    child.on("error", ended);
    child.on("exit", (code) => ended(new Error(`memtui mcp ended with code ${code}`)));
    child.stdin!.on("error", () => {});
    createInterface({ input: child.stdout! }).on("line", (line) => this.answered(line));
    const client = { name: "pi", version: "1" };
    return this.send("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: client }).then(() =>
      this.write({ jsonrpc: "2.0", method: "notifications/initialized" }),
    );
  }

  private answered(line: string): void {
    let message: any;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result);
  }

  private send(method: string, params: object, signal?: AbortSignal): Promise<any> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!this.waiting.delete(id)) return;
        this.write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
        reject(new Error("cancelled"));
      });
      this.write({ jsonrpc: "2.0", id, method, params });
    });
  }

  private write(message: object): void {
    this.child?.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}

declare function remembered(event: string, call: object): Promise<string>;

function limited<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("memtui mcp does not answer")), milliseconds);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

export default async function (pi: any) {
  const server = new Server();
  let problem = "";
  try {
    const { tools } = await limited(server.request("tools/list", {}), START_LIMIT);
    for (const tool of tools) {
      pi.registerTool({
        name: tool.name,
        label: tool.title ?? tool.name,
        description: tool.description ?? tool.name,
        parameters: tool.inputSchema,
        async execute(_id: string, params: object, signal?: AbortSignal) {
          const result = await server.request("tools/call", { name: tool.name, arguments: params }, signal);
          const text = result.content.map((part: any) => part.text ?? "").join("\n");
          if (result.isError) throw new Error(text);
          return { content: [{ type: "text", text }], details: {} };
        },
      });
    }
  } catch (error: any) {
    problem = error.code === "ENOENT" ? MISSING : `memtui: ${error.message}`;
  }

  const call = (ctx: any) => ({
    session_id: ctx.sessionManager.getSessionId(),
    transcript_path: ctx.sessionManager.getSessionFile() ?? "",
    cwd: ctx.cwd,
  });

  pi.on("session_start", async (_event: any, ctx: any) => {
    if (problem && ctx.hasUI) ctx.ui.notify(problem, "warning");
  });
  pi.on("session_shutdown", async (_event: any, ctx: any) => {
    server.stop();
    if (!problem) await remembered("SessionEnd", call(ctx));
  });
  if (problem) return;

  pi.on("before_agent_start", async (event: any, ctx: any) => {
    const content = await remembered("UserPromptSubmit", { ...call(ctx), prompt: event.prompt });
    return content ? { message: { customType: "memtui", content, display: false } } : undefined;
  });
  pi.on("tool_result", async (event: any, ctx: any) => {
    if (!["read", "edit", "write"].includes(event.toolName)) return undefined;
    const fields = { tool_name: event.toolName, tool_input: event.input };
    const text = await remembered("PreToolUse", { ...call(ctx), ...fields });
    return text ? { content: [...event.content, { type: "text", text }] } : undefined;
  });
  pi.on("agent_end", async (_event: any, ctx: any) => {
    await remembered("Stop", call(ctx));
  });
  pi.on("session_before_compact", async (_event: any, ctx: any) => {
    await remembered("PreCompact", call(ctx));
    return undefined;
  });
}
