/** What `memtui hook` answers to an event: text for the agent, or nothing. It never fails. */
function remembered(event: string, call: object): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "hook", event, ...OPTIONS], {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: HOOK_LIMIT,
    });
    let output = "";
    child.stdout!.on("data", (data) => (output += data));
    child.stdin!.on("error", () => {});
    child.on("error", () => resolve(""));
    child.on("close", () => {
      try {
        resolve(JSON.parse(output).hookSpecificOutput.additionalContext ?? "");
      } catch {
        resolve("");
      }
    });
    child.stdin!.end(JSON.stringify(call));
  });
}
