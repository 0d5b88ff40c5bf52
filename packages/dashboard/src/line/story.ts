/** What a Line tells: who took part, and what happened where and when. */
import type { Tone } from '../format/status.ts'

export type Lane = { readonly id: string; readonly text: string }
export type LineTone = Tone | 'ink'

export type LineNode = {
  readonly id: string
  /** The id of its lane. */
  readonly lane: string
  readonly atMs: number
  readonly text: string
  readonly tone: LineTone
  readonly mark: 'open' | 'done' | 'failed' | 'waiting'
  /** Somebody is waited for from here on: the rail to the next node is dashed. */
  readonly isWaiting?: boolean
}

export type Story = { readonly lanes: readonly Lane[]; readonly nodes: readonly LineNode[] }

/** Pure. In the order of time; of two at one instant, the one that was named first. */
export function inOrder(nodes: readonly LineNode[]): LineNode[] {
  return nodes.toSorted((a, b) => a.atMs - b.atMs)
}
