/** The data of a timeline: its lanes (parties) and its nodes (events). */
import type { Tone } from '../format/status.ts'

export type Lane = { readonly id: string; readonly text: string }
export type TimelineTone = Tone | 'ink'

export type TimelineNode = {
  readonly id: string
  /** The id of its lane. */
  readonly lane: string
  readonly atMs: number
  readonly text: string
  readonly tone: TimelineTone
  readonly mark: 'open' | 'done' | 'failed' | 'waiting'
  /** Whether a wait starts here: the line to the next node is then dashed. */
  readonly isWaiting?: boolean
}

export type Timeline = { readonly lanes: readonly Lane[]; readonly nodes: readonly TimelineNode[] }

/** Sorts by time; nodes with the same time keep their order. Has no side effects. */
export function inOrder(nodes: readonly TimelineNode[]): TimelineNode[] {
  return nodes.toSorted((a, b) => a.atMs - b.atMs)
}
