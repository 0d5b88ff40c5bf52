/** Running campaigns by stage: how many stand before which retry. */
import { useObject } from '../../../api/queries.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { stagesOf } from './words.ts'

/** More than these are said to be more. */
const most = 200

export function Stages() {
  const found = useObject(['dunning_campaign', 'running'], (api) =>
    api.dunningCampaigns.list({ status: 'running' }).all({ max: most }),
  )
  return (
    <Panel title="By stage" beside="those on test clocks included" flush>
      <Loaded of={found}>
        {(campaigns) => (
          <ul className="flex flex-wrap">
            <Figure
              name={campaigns.length >= most ? `${most}+ running` : 'Running'}
              count={campaigns.length}
            />
            {stagesOf(campaigns).map(({ name, count }) => (
              <Figure key={name} name={name} count={count} />
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  )
}

function Figure({ name, count }: { name: string; count: number }) {
  return (
    <li className="grid min-w-35 border-r border-line px-4 py-3">
      <span className="text-title font-bold">{count.toLocaleString('en')}</span>
      <span className="text-compact text-ink2">{name}</span>
    </li>
  )
}
