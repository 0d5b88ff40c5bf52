// Parses PromQL expressions and returns their series and labels.

import { parser } from '@prometheus-io/lezer-promql'

export type Selector = { readonly metric: string; readonly labels: readonly string[] }

export type ParsedExpression = {
  readonly selectors: readonly Selector[]
  readonly groupedBy: readonly string[]
}

/** Throws if the text is not valid PromQL. Replaces the interval variable of Grafana first. */
export function readExpression(text: string): ParsedExpression {
  const expr = text.replaceAll('$__rate_interval', '5m')
  const tree = parser.parse(expr)
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }) => expr.slice(from, to)
  const selectors: Selector[] = []
  const groupedBy: string[] = []
  tree.iterate({
    enter({ type, name, node }) {
      if (type.isError) throw new Error(`This is not PromQL: ${expr}`)
      if (name === 'VectorSelector') {
        const labels = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
        const names = labels.flatMap((matcher) => matcher.getChildren('LabelName').map(textOf))
        selectors.push({ metric: node.getChildren('Identifier').map(textOf).join(), labels: names })
      }
      if (name === 'GroupingLabels') groupedBy.push(...node.getChildren('LabelName').map(textOf))
    },
  })
  return { selectors, groupedBy }
}
