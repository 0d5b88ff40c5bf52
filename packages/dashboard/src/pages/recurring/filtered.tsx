/** A list that its filter leaves nothing of: which one, and a way to drop it. */
import { words } from '../../format/words.ts'
import { Button } from '../../ui/button.tsx'
import type { Chosen } from '../../ui/filters.tsx'
import { Empty } from '../../ui/states.tsx'

export function FilteredToNothing(props: { noun: string; chosen: Chosen; clear: () => void }) {
  const filter = Object.entries(props.chosen)
    .map(([name, value]) => `${words(name).toLowerCase()} is ${value}`)
    .join(' and ')
  return (
    <Empty
      title={`There is no ${props.noun} whose ${filter}.`}
      action={<Button onClick={props.clear}>Clear filters</Button>}
    />
  )
}
