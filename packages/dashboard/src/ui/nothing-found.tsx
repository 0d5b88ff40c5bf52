/** The empty state of a list: how to create the first object, or which filter hides the rows. */
import type { ReactNode } from 'react'
import { hasObjectFilter, useTestClocks } from '../api/test-clocks.ts'
import { Button } from './button.tsx'
import { type Filter, useFilters } from './filters.tsx'
import { Empty } from './states.tsx'

export function NothingFound(props: {
  filters: readonly Filter[]
  title: string
  action?: ReactNode
  children?: ReactNode
  /** Whether the list leaves out test clocks unless the user includes them. */
  hasTestClocks?: boolean
}) {
  const { filterValues, clear } = useFilters(props.filters)
  const activeFilters = props.filters.filter(({ name }) => filterValues[name] !== undefined)
  const testClockNotice = props.hasTestClocks && !hasObjectFilter(filterValues) ? <TestClockNotice /> : null
  if (activeFilters.length === 0)
    return (
      <Empty title={props.title} action={props.action}>
        {props.children}
        {testClockNotice}
      </Empty>
    )
  const names = activeFilters.map(({ label, name }) => `${label} “${filterValues[name]}”`).join(' and ')
  return (
    <Empty title={`Nothing matches ${names}.`} action={<Button onClick={clear}>Clear filters</Button>}>
      {testClockNotice}
    </Empty>
  )
}

function TestClockNotice() {
  const { query, setIncluded } = useTestClocks()
  if (query.test_clocks !== 'exclude') return null
  return (
    <p className="mt-3">
      Test clocks are not included.{' '}
      <Button compact onClick={() => setIncluded(true)}>
        Include test clocks
      </Button>
    </p>
  )
}
