import type { McpServers } from './mcp/mcp-servers';
import type { Tool } from './tool';
import { toolOf, type ToolDeclaration } from './tool-declaration';

/** Every tool that the deployment offers now, by the name that the model sees: its own, and those of the MCP servers that are available. */
export class Tools {
  /** The product's own, in their order. */
  readonly own: readonly Tool[];
  private readonly byName: ReadonlyMap<string, Tool>;

  constructor(
    declared: readonly ToolDeclaration[],
    private readonly mcpServers: McpServers,
  ) {
    this.own = [...declared].sort((one, other) => one.order - other.order).map(toolOf);
    this.byName = new Map(this.own.map((tool) => [tool.name, tool]));
    mcpServers.reserve(this.byName.keys());
  }

  find(name: string): Tool | undefined {
    return this.byName.get(name) ?? this.mcpServers.tools.find((tool) => tool.name === name);
  }

  /** The same for a call that was cut off: waits for a server whose call may be repeated. Rejects when the signal aborts. */
  async findAgain(name: string, signal: AbortSignal): Promise<Tool | undefined> {
    return this.byName.get(name) ?? (await this.mcpServers.findAgain(name, signal));
  }
}
