import type { PaymentRoute, PaymentRouteRevision } from '@switchyard/sdk'
import { Json } from '../../../ui/code.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import type { Definition } from './definition.ts'
import { DryRun } from './dry-run.tsx'
import { Examples } from './examples.tsx'
import type { Lint } from './findings.tsx'
import { Revisions } from './revisions.tsx'
import { Simulate } from './simulate.tsx'

export type TabProps = {
  route: PaymentRoute
  latest: PaymentRouteRevision
  definition: Definition
  lint: Lint
  disabledReason: string | null
  onChange: (definition: Definition) => void
}

export function RouteTabs(props: TabProps) {
  const { route, definition } = props
  return (
    <Tabs
      label="Test this route"
      tabs={[
        { id: 'simulate', text: 'Test one payment', content: () => <Simulate {...props} /> },
        { id: 'history', text: 'Dry run', content: () => <DryRun route={route} /> },
        {
          id: 'examples',
          text: `Examples (${definition.examples.length})`,
          content: () => <Examples {...props} />,
        },
        { id: 'revisions', text: 'Revisions', content: () => <Revisions route={route} /> },
        {
          id: 'json',
          text: 'JSON',
          content: () => (
            <div className="p-4">
              <Json value={definition} label="route JSON" />
            </div>
          ),
        },
      ]}
    />
  )
}
