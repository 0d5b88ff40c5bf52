/** Text in which parts in backquotes are shown as code. */
export function Code({ children }: { children: string }) {
  return children.split(/(`[^`]+`)/).map((part, index) =>
    part.startsWith('`') ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no id.
      <code key={index} className="font-mono text-compact">
        {part.slice(1, -1)}
      </code>
    ) : (
      part
    ),
  )
}
