// The picture of a machine, from its table: states are boxes, and what leads from one to another is an arrow.

import { isChange } from '../../../packages/server/src/kernel/machine.ts'
import type { DrawnMachine } from '../machines.ts'
import type { Arrow, Box, Graph } from './graph.ts'

type Row = DrawnMachine['rows'][number]

const begin = 'begin'

export function stateGraph(title: string, machine: DrawnMachine): Graph {
  const rows = machine.rows.filter(isChange)
  const states = [...new Set([machine.initial, ...rows.flatMap(({ from, to }) => [from, to])])]
  const moves = rows.filter(({ from, to }) => from !== to)
  return {
    title: `${title}: states`,
    description: descriptionOf(title, machine.initial, moves),
    direction: 'down',
    boxes: [{ id: begin, lines: [], kind: 'start' }, ...states.map((state) => boxOf(state, rows))],
    arrows: [{ from: begin, to: machine.initial }, ...arrowsOf(moves, machine.actions)],
    legend: 'Solid: somebody calls it. Dashed: time, a provider or a receiver. Thick: final.',
  }
}

/** What happens in a state without leaving it stands in its box. */
function boxOf(state: string, rows: readonly Row[]): Box {
  const leaving = rows.filter(({ from, to }) => from === state && to !== state)
  const staying = rows.filter(({ from, to }) => from === state && to === state)
  const words = [...new Set(staying.map(({ on }) => on))]
  const lines =
    words.length === 0 ? [] : [`stays on ${words[0]}`, ...words.slice(1).map((word) => `or ${word}`)]
  return { id: state, lines: [state, ...lines], ...(leaving.length === 0 ? { kind: 'end' as const } : {}) }
}

function arrowsOf(moves: readonly Row[], actions: readonly string[]): Arrow[] {
  const groups = Map.groupBy(moves, ({ from, to, on }) => JSON.stringify([from, to, actions.includes(on)]))
  return [...groups].map(([key, rows]) => {
    const [from, to, isAction] = JSON.parse(key) as [string, string, boolean]
    return { from, to, lines: [...new Set(rows.map(wordsOf))].flatMap(broken), isDashed: !isAction }
  })
}

function wordsOf({ on, when }: Row): string {
  return when === undefined ? on : `${on} (${inWords(when.name)})`
}

const lineCharacters = 15

/** Lines of few characters: arrows stand side by side, so their words make a picture wide. */
function broken(words: string): string[] {
  if (words.length <= lineCharacters) return [words]
  const lines: string[] = []
  for (const word of words.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || word.startsWith('(') || last.length + word.length >= lineCharacters)
      lines.push(word)
    else lines.splice(-1, 1, `${last} ${word}`)
  }
  return lines
}

function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function descriptionOf(title: string, initial: string, moves: readonly Row[]): string {
  const sentences = moves.map((row) => `From ${row.from} to ${row.to} on ${wordsOf(row)}.`)
  return [`${title}: begins as ${initial}.`, ...sentences].join(' ')
}
