// The diagram of a state machine, from its table: states are boxes, and transitions are arrows.

import { isChange } from '../../../packages/server/src/kernel/machine.ts'
import type { DiagramMachine } from '../machines.ts'
import type { Arrow, Box, Graph } from './graph.ts'

type Row = DiagramMachine['rows'][number]

const startId = 'begin'

export function stateGraph(title: string, machine: DiagramMachine): Graph {
  const rows = machine.rows.filter(isChange)
  const states = [...new Set([machine.initial, ...rows.flatMap(({ from, to }) => [from, to])])]
  const transitions = rows.filter(({ from, to }) => from !== to)
  return {
    title: `${title}: states`,
    description: descriptionOf(title, machine.initial, transitions),
    direction: 'down',
    boxes: [{ id: startId, lines: [], kind: 'start' }, ...states.map((state) => boxOf(state, rows))],
    arrows: [{ from: startId, to: machine.initial }, ...arrowsOf(transitions, machine.actions)],
    legend: 'Solid: API call. Dashed: time, a provider or a receiver. Thick: final state.',
  }
}

/** Transitions that do not leave a state are listed in its box. */
function boxOf(state: string, rows: readonly Row[]): Box {
  const leaving = rows.filter(({ from, to }) => from === state && to !== state)
  const staying = rows.filter(({ from, to }) => from === state && to === state)
  const triggers = [...new Set(staying.map(({ on }) => on))]
  const lines =
    triggers.length === 0
      ? []
      : [`stays on ${triggers[0]}`, ...triggers.slice(1).map((trigger) => `or ${trigger}`)]
  return { id: state, lines: [state, ...lines], ...(leaving.length === 0 ? { kind: 'end' as const } : {}) }
}

function arrowsOf(transitions: readonly Row[], actions: readonly string[]): Arrow[] {
  const groups = Map.groupBy(transitions, ({ from, to, on }) =>
    JSON.stringify([from, to, actions.includes(on)]),
  )
  return [...groups].map(([key, rows]) => {
    const [from, to, isAction] = JSON.parse(key) as [string, string, boolean]
    return { from, to, lines: [...new Set(rows.map(labelOf))].flatMap(breakLines), isDashed: !isAction }
  })
}

function labelOf({ on, when }: Row): string {
  return when === undefined ? on : `${on} (${toWords(when.name)})`
}

const lineCharacters = 15

/** Breaks labels into short lines: arrows are side by side, so long labels would make the diagram wide. */
function breakLines(label: string): string[] {
  if (label.length <= lineCharacters) return [label]
  const lines: string[] = []
  for (const word of label.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || word.startsWith('(') || last.length + word.length >= lineCharacters)
      lines.push(word)
    else lines.splice(-1, 1, `${last} ${word}`)
  }
  return lines
}

function toWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function descriptionOf(title: string, initial: string, transitions: readonly Row[]): string {
  const sentences = transitions.map((row) => `From ${row.from} to ${row.to} on ${labelOf(row)}.`)
  return [`${title}: starts as ${initial}.`, ...sentences].join(' ')
}
