// The dashboards that operators import into Grafana: what each shows, in the order in which one looks.

import { billing } from './billing.ts'
import type { Board } from './board.ts'
import { engine } from './engine.ts'
import { overview } from './overview.ts'
import { payments } from './payments.ts'
import { webhooks } from './webhooks.ts'

export const boards: readonly Board[] = [overview, payments, webhooks, billing, engine]
