// Reads PromQL as far as the guards need it: which series an expression asks for, and by which labels.

import { parser } from '@prometheus-io/lezer-promql'

export type Selector = { readonly metric: string; readonly labels: readonly string[] }

export type Asked = { readonly selectors: readonly Selector[]; readonly groupedBy: readonly string[] }

/** Throws if it is no PromQL. Grafana fills in the interval before it asks. */
export function readExpression(text: string): Asked {
  const expr = text.replaceAll('$__rate_interval', '5m')
  const tree = parser.parse(expr)
  const said = ({ from, to }: { readonly from: number; readonly to: number }) => expr.slice(from, to)
  const selectors: Selector[] = []
  const groupedBy: string[] = []
  tree.iterate({
    enter({ type, name, node }) {
      if (type.isError) throw new Error(`This is no PromQL: ${expr}`)
      if (name === 'VectorSelector') {
        const labels = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
        const names = labels.flatMap((matcher) => matcher.getChildren('LabelName').map(said))
        selectors.push({ metric: node.getChildren('Identifier').map(said).join(), labels: names })
      }
      if (name === 'GroupingLabels') groupedBy.push(...node.getChildren('LabelName').map(said))
    },
  })
  return { selectors, groupedBy }
}
