// `docs/concepts/pictures`: every life and every concept as an SVG file.

import { lives, pictureOf } from '../machines.ts'
import { conceptGraphs } from './concepts.ts'
import { stateGraph } from './states.ts'
import { renderSvg } from './svg.ts'

/** Name of the file -> text. */
export function renderPictures(): Map<string, string> {
  const states = lives.map(
    ({ title, machine }) => [pictureOf(title), renderSvg(stateGraph(title, machine))] as const,
  )
  const concepts = Object.entries(conceptGraphs).map(([file, graph]) => [file, renderSvg(graph)] as const)
  return new Map([...states, ...concepts])
}
