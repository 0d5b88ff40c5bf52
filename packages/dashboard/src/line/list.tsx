/** The nodes of a Line under each other, as buttons: for narrow screens, and for who would rather read. */
import { dateText, durationText } from '../format/time.ts'
import type { AxisKind } from './axis.ts'
import { MarkShape } from './marks.tsx'
import type { LineNode, Story } from './story.ts'
import { useWalk } from './walk.ts'

export type NodesProps = {
  story: Story
  label: string
  chosen: string | null
  choose: (id: string) => void
}

export function NodeList({ story, label, chosen, choose, kind }: NodesProps & { kind: AxisKind }) {
  const walk = useWalk(story.nodes.length)
  return (
    <div
      role="toolbar"
      aria-label={label}
      aria-orientation="vertical"
      ref={walk.list}
      onKeyDown={walk.onKeyDown}
    >
      {story.nodes.map((node, index) => (
        <button
          key={node.id}
          type="button"
          tabIndex={walk.tabIndexOf(index)}
          aria-pressed={chosen === node.id}
          onFocus={() => walk.setCurrent(index)}
          onClick={() => choose(node.id)}
          className="flex min-h-10 w-full items-center gap-3 border-b border-line px-4 py-1.5 text-left last:border-0 hover:bg-canvas aria-pressed:bg-lock-soft max-md:min-h-12"
        >
          <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" className="shrink-0">
            <MarkShape node={node} x={10} y={10} />
          </svg>
          <span className="min-w-0 flex-1">
            <span className="block break-words">{node.text}</span>
            <span className="block text-compact text-ink2">{laneText(story, node)}</span>
          </span>
          <span className="text-compact whitespace-nowrap text-ink2">{whenText(story, node, kind)}</span>
        </button>
      ))}
    </div>
  )
}

function laneText({ lanes }: Story, node: LineNode): string {
  return lanes.find(({ id }) => id === node.lane)?.text ?? ''
}

function whenText({ nodes }: Story, node: LineNode, kind: AxisKind): string {
  return kind === 'date' ? dateText(node.atMs) : durationText(node.atMs - (nodes[0]?.atMs ?? node.atMs))
}

export function nodeText(story: Story, node: LineNode, kind: AxisKind): string {
  return `${node.text}, ${laneText(story, node)}, ${whenText(story, node, kind)}`
}

/** The whole drawing in words. */
export function storyText(story: Story, kind: AxisKind): string {
  return story.nodes.map((node) => nodeText(story, node, kind)).join('; ')
}
