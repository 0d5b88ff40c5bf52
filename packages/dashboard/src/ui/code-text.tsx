/** A text in which what stands in back quotes is a code. */
export function Code({ children }: { children: string }) {
  return children.split(/(`[^`]+`)/).map((part, index) =>
    part.startsWith('`') ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name.
      <code key={index} className="font-mono text-compact">
        {part.slice(1, -1)}
      </code>
    ) : (
      part
    ),
  )
}
