import { expect, test } from 'vitest'
import { stateMachines } from '../machines.ts'
import { conceptGraphs } from './concepts.ts'
import type { Graph } from './graph.ts'
import { layoutOf } from './layout.ts'
import { stateGraph } from './states.ts'
import { renderSvg } from './svg.ts'

const graphs: Graph[] = [
  ...stateMachines.map(({ title, machine }) => stateGraph(title, machine)),
  ...Object.values(conceptGraphs),
]

type Area = { readonly x: number; readonly y: number; readonly width: number; readonly height: number }

function overlap(a: Area, b: Area): boolean {
  const isApart = Math.abs(a.x - b.x) * 2 >= a.width + b.width
  return !isApart && Math.abs(a.y - b.y) * 2 < a.height + b.height
}

test.each(graphs)('$title: no label and no box covers another', (graph) => {
  const { boxes, arrows, width, height } = layoutOf(graph)
  const areas = [...boxes, ...arrows.flatMap(({ label }) => label ?? [])]

  const covered = areas.flatMap((area, index) =>
    areas.slice(index + 1).filter((other) => overlap(area, other)),
  )
  const outside = areas.filter(
    ({ x, y, width: w, height: h }) =>
      x - w / 2 < 0 || y - h / 2 < 0 || x + w / 2 > width || y + h / 2 > height,
  )

  expect(covered).toEqual([])
  expect(outside).toEqual([])
})

test.each(stateMachines)(
  '$title: every transition of the table is an arrow or listed in its box',
  ({ title, machine }) => {
    const { boxes, arrows } = stateGraph(title, machine)
    const isShown = (from: string, to: string, on: string) =>
      from === to
        ? boxes.some(({ id, lines }) => id === from && lines.some((line) => line.endsWith(` ${on}`)))
        : arrows.some(
            (arrow) =>
              arrow.from === from &&
              arrow.to === to &&
              arrow.lines?.some((line) => line.split(' ')[0] === on),
          )

    const missing = machine.rows.filter(
      ({ from, to, on, effects }) => (from !== to || effects.length > 0) && !isShown(from, to, on),
    )

    expect(missing).toEqual([])
  },
)

test('a diagram has a text alternative, and is readable in the dark theme', () => {
  const [graph] = graphs as [Graph]
  const svg = renderSvg(graph)

  expect(svg).toContain(`<title id="title">${graph.title}</title>`)
  expect(svg).toContain('<desc id="desc">API token: starts as active.')
  expect(svg).toContain('@media (prefers-color-scheme: dark)')
})
