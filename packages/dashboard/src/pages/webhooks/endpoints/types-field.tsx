/** The event types of an endpoint: all, all of an object, or single types. */

import { useFault } from '../../../ui/action.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { byObject, toggleType, useEventTypes } from './event-types.ts'

export function TypesField(props: {
  selected: readonly string[]
  onChange: (selected: readonly string[]) => void
}) {
  const { selected, onChange } = props
  const types = useEventTypes()
  const fault = useFault('/event_types')
  const isAll = selected.includes('*')
  const toggle = (type: string) => () => onChange(toggleType(selected, type))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-bold">Events</legend>
      <CheckField label="All events, including future types" checked={isAll} onChange={toggle('*')} />
      {!isAll && (
        <Loaded query={types}>
          {(known) => (
            <div className="max-h-80 overflow-y-auto rounded-control border border-line">
              {byObject(known).map(([object, members]) => (
                <ObjectTypes
                  key={object}
                  object={object}
                  types={members.map(({ type }) => type)}
                  selected={selected}
                  toggle={toggle}
                />
              ))}
            </div>
          )}
        </Loaded>
      )}
      {fault !== null && <p className="text-compact text-danger">{fault}</p>}
    </fieldset>
  )
}

function ObjectTypes(props: {
  object: string
  types: readonly string[]
  selected: readonly string[]
  toggle: (type: string) => () => void
}) {
  const { object, types, selected, toggle } = props
  const allOfObject = `${object}.*`
  const singleCount = types.filter((type) => selected.includes(type)).length
  const isAllOfObject = selected.includes(allOfObject)
  return (
    <details className="border-b border-line px-3 py-1.5 last:border-0" open={singleCount > 0}>
      <summary className="flex min-h-6 cursor-pointer items-center justify-between gap-2">
        <span className="font-mono text-compact">{object}</span>
        <span className="text-compact text-ink2">
          {isAllOfObject ? 'all' : `${singleCount} of ${types.length}`}
        </span>
      </summary>
      <div className="grid gap-1.5 py-2 pl-3">
        <CheckField label={`All ${object} events`} checked={isAllOfObject} onChange={toggle(allOfObject)} />
        {!isAllOfObject &&
          types.map((type) => (
            <CheckField
              key={type}
              label={<span className="font-mono text-compact">{type}</span>}
              checked={selected.includes(type)}
              onChange={toggle(type)}
            />
          ))}
      </div>
    </details>
  )
}
