/** Which types of events an endpoint gets: all, all of an object, or single ones. */

import { useFault } from '../../../ui/action.tsx'
import { CheckField } from '../../../ui/fields.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { byObject, toggled, useEventTypes } from './event-types.ts'

export function TypesField(props: {
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}) {
  const { chosen, onChange } = props
  const types = useEventTypes()
  const fault = useFault('/event_types')
  const isAll = chosen.includes('*')
  const toggle = (type: string) => () => onChange(toggled(chosen, type))
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-bold">Events</legend>
      <CheckField label="All events, also of types yet to come" checked={isAll} onChange={toggle('*')} />
      {!isAll && (
        <Loaded of={types}>
          {(known) => (
            <div className="max-h-80 overflow-y-auto rounded-control border border-line">
              {byObject(known).map(([object, members]) => (
                <ObjectTypes
                  key={object}
                  object={object}
                  types={members.map(({ type }) => type)}
                  chosen={chosen}
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
  chosen: readonly string[]
  toggle: (type: string) => () => void
}) {
  const { object, types, chosen, toggle } = props
  const whole = `${object}.*`
  const single = types.filter((type) => chosen.includes(type)).length
  const isWhole = chosen.includes(whole)
  return (
    <details className="border-b border-line px-3 py-1.5 last:border-0" open={single > 0}>
      <summary className="flex min-h-6 cursor-pointer items-center justify-between gap-2">
        <span className="font-mono text-compact">{object}</span>
        <span className="text-compact text-ink2">{isWhole ? 'all' : `${single} of ${types.length}`}</span>
      </summary>
      <div className="grid gap-1.5 py-2 pl-3">
        <CheckField label={`All of ${object}`} checked={isWhole} onChange={toggle(whole)} />
        {!isWhole &&
          types.map((type) => (
            <CheckField
              key={type}
              label={<span className="font-mono text-compact">{type}</span>}
              checked={chosen.includes(type)}
              onChange={toggle(type)}
            />
          ))}
      </div>
    </details>
  )
}
