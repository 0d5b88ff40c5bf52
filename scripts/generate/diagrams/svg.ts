// Renders a diagram as SVG. It contains its own colours for light and dark themes and has a transparent background. A
// title and a description are the text alternative.

import type { Graph } from './graph.ts'
import {
  type Area,
  type Layout,
  layoutOf,
  lineHeight,
  type PlacedArrow,
  type PlacedBox,
  type Point,
} from './layout.ts'

// The colours of the dashboard and the site: surface, edge and text, for light and dark themes.
const style = `
    .box { fill: #fffdf8; stroke: #847c69; stroke-width: 1.3 }
    .end { stroke-width: 2.6 }
    .dot { fill: #1b211e }
    .line { fill: none; stroke: #847c69; stroke-width: 1.4 }
    .tip { fill: #847c69 }
    .dashed { stroke-dasharray: 5 4 }
    text { font: 12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #4a524d; text-anchor: middle }
    .name { font-size: 14px; font-weight: 600; fill: #1b211e }
    @media (prefers-color-scheme: dark) {
      .box { fill: #161e1b; stroke: #718078 }
      .dot { fill: #ecebe4 }
      .line { stroke: #718078 }
      .tip { fill: #718078 }
      text { fill: #b7bfb8 }
      .name { fill: #ecebe4 }
    }
  `

export function renderSvg(graph: Graph): string {
  const layout = layoutOf(graph)
  const legend = graph.legend === undefined ? [] : [graph.legend]
  const width = Math.max(layout.width, ...legend.map((line) => line.length * 7 + 36))
  const height = layout.height + legend.length * 30
  const shift = (width - layout.width) / 2
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
  <title id="title">${escapeXml(graph.title)}</title>
  <desc id="desc">${escapeXml(graph.description)}</desc>
  <style>${style}</style>
  <defs>
    <marker id="tip" viewBox="0 0 8 8" refX="7.4" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0.6 L8 4 L0 7.4 Z"/></marker>
    ${gapsOf(layout)}
  </defs>
  <g transform="translate(${shift} 0)">
${renderContent(layout)}
  </g>
${legend.map((line) => `  <text x="${width / 2}" y="${height - 16}">${escapeXml(line)}</text>\n`).join('')}</svg>
`
}

function renderContent({ boxes, arrows }: Layout): string {
  const lines = ['<g mask="url(#gaps)">', ...arrows.map(lineOf), '</g>']
  return [...lines, ...boxes.map(boxOf), ...arrows.map(labelOf)]
    .filter((part) => part !== '')
    .map((part) => `    ${part}`)
    .join('\n')
}

/** Interrupts lines at labels, so that labels need no background. */
function gapsOf({ width, height, arrows }: Layout): string {
  const gaps = arrows.flatMap(({ label }) => label ?? []).map((label) => rectOf(label, 'fill="black"'))
  const size = `width="${width}" height="${height}"`
  return `<mask id="gaps" maskUnits="userSpaceOnUse" x="0" y="0" ${size}><rect fill="white" ${size}/>${gaps.join('')}</mask>`
}

function rectOf({ x, y, width, height }: Area, attributes: string): string {
  const tenths = (value: number) => Math.round(value * 10) / 10
  const corner = `x="${tenths(x - width / 2)}" y="${tenths(y - height / 2)}"`
  return `<rect ${attributes} ${corner} width="${width}" height="${height}"/>`
}

function lineOf({ points, isDashed = false }: PlacedArrow): string {
  return `<path class="line${isDashed ? ' dashed' : ''}" d="${curveThrough(points)}" marker-end="url(#tip)"/>`
}

const bendRadius = 16

/** A polyline with rounded corners, which passes under its own label. */
function curveThrough(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const steps = rest.map((point, index) => {
    const [before, next] = [points[index] ?? first, rest[index + 1]]
    if (next === undefined) return `L${point.x} ${point.y}`
    const [from, to] = [towards(point, before), towards(point, next)]
    return `L${from.x} ${from.y} Q${point.x} ${point.y} ${to.x} ${to.y}`
  })
  return [`M${first.x} ${first.y}`, ...steps].join(' ')
}

/** A point towards another one, at the bend radius, or halfway if that is closer. */
function towards(from: Point, to: Point): Point {
  const distance = Math.hypot(to.x - from.x, to.y - from.y)
  const share = distance === 0 ? 0 : Math.min(bendRadius, distance / 2) / distance
  const tenths = (value: number) => Math.round(value * 10) / 10
  return { x: tenths(from.x + (to.x - from.x) * share), y: tenths(from.y + (to.y - from.y) * share) }
}

function boxOf({ kind, x, y, width, height, lines }: PlacedBox): string {
  if (kind === 'start') return `<circle class="dot" cx="${x}" cy="${y}" r="${width / 2}"/>`
  const [left, top] = [x - width / 2, y - height / 2]
  const shape = `<rect class="box${kind === 'end' ? ' end' : ''}" x="${left}" y="${top}" width="${width}" height="${height}" rx="7"/>`
  const texts = lines.map((line, index) => {
    const name = index === 0 ? ' class="name"' : ''
    return `<text${name} x="${x}" y="${top + 23 + index * lineHeight}">${escapeXml(line)}</text>`
  })
  return [shape, ...texts].join('')
}

function labelOf({ label, lines = [] }: PlacedArrow): string {
  if (label === null) return ''
  const { x, y, height } = label
  return lines
    .map((line, index) => `<text x="${x}" y="${y - height / 2 + 15 + index * 16}">${escapeXml(line)}</text>`)
    .join('')
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
