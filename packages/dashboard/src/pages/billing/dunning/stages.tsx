/** The number of running campaigns by stage. */
import { useObject } from '../../../api/queries.ts'
import { useTestClocks } from '../../../api/test-clocks.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { stagesOf } from './campaign-text.ts'

/** The maximum number of campaigns that are loaded. If it is reached, the label is "200+ running". */
const maxCampaigns = 200

export function Stages() {
  const { query } = useTestClocks()
  const campaigns = useObject(['dunning_campaign', 'running', query], (api) =>
    api.dunningCampaigns.list({ status: 'running', ...query }).all({ max: maxCampaigns }),
  )
  return (
    <Panel title="By stage" flush>
      <Loaded query={campaigns}>
        {(running) => (
          <ul className="flex flex-wrap">
            <Figure
              name={running.length >= maxCampaigns ? `${maxCampaigns}+ running` : 'Running'}
              count={running.length}
            />
            {stagesOf(running).map(({ name, count }) => (
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
