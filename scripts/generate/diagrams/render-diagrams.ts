// `docs/concepts/pictures`: the diagrams of state machines and concepts, as SVG files.

import { diagramOf, stateMachines } from '../machines.ts'
import { conceptGraphs } from './concepts.ts'
import { stateGraph } from './states.ts'
import { renderSvg } from './svg.ts'

/** File name -> text. */
export function renderDiagrams(): Map<string, string> {
  const states = stateMachines.map(
    ({ title, machine }) => [diagramOf(title), renderSvg(stateGraph(title, machine))] as const,
  )
  const concepts = Object.entries(conceptGraphs).map(([file, graph]) => [file, renderSvg(graph)] as const)
  return new Map([...states, ...concepts])
}
