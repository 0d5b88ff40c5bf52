/** What a list says when it has no rows: how to get the first, or which filter hides them all. */
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { type Filter, useFilters } from './filters.tsx'
import { Empty } from './states.tsx'

export function NothingFound(props: {
  filters: readonly Filter[]
  title: string
  action?: ReactNode
  children?: ReactNode
}) {
  const { chosen, clear } = useFilters(props.filters)
  const hiding = props.filters.filter(({ name }) => chosen[name] !== undefined)
  if (hiding.length === 0)
    return (
      <Empty title={props.title} action={props.action}>
        {props.children}
      </Empty>
    )
  const names = hiding.map(({ label, name }) => `${label} “${chosen[name]}”`).join(' and ')
  return <Empty title={`Nothing matches ${names}.`} action={<Button onClick={clear}>Clear filters</Button>} />
}
