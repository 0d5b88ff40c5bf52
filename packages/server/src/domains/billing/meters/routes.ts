import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import {
  CancelMeterEvents,
  CreateMeter,
  CreateMeterEvents,
  MeterEventBatchObject,
  MeterEventCancellationObject,
  MeterObject,
  MeterPath,
  MeterReportObject,
  presentCancelled,
  presentMeter,
  presentRecorded,
  presentReport,
  presentUsage,
  ReportQuery,
  UsageObject,
  UsageQuery,
} from './schema.ts'
import { cancelMeterEvents } from './service/cancel.ts'
import { createMeter, getMeter, listMeters, readMeterReport, readMeterUsage } from './service/meters.ts'
import { createRecorder } from './service/record.ts'

export const meterOperations = (deps: Deps) => [
  operation({
    id: 'meters.create',
    method: 'POST',
    path: '/meters',
    summary: 'Create a meter',
    description: 'A meter counts the usage events with one name. Its terms cannot be changed.',
    body: CreateMeter,
    status: 201,
    response: MeterObject,
    present: presentMeter,
    handle: ({ caller, body }) => createMeter(deps, caller, body),
  }),
  operation({
    id: 'meters.list',
    method: 'GET',
    path: '/meters',
    summary: 'List meters',
    description: 'Returns meters, newest first.',
    query: PageQuery({}),
    response: PageOf(MeterObject),
    errors: ['invalid_cursor'],
    present: presentPage('/meters', presentMeter),
    handle: ({ caller, query }) => listMeters(deps, caller, rangeOf('meter', caller.mode, query)),
  }),
  operation({
    id: 'meters.get',
    method: 'GET',
    path: '/meters/:meter_id',
    summary: 'Get a meter',
    description: 'Returns a meter.',
    params: MeterPath,
    response: MeterObject,
    errors: ['not_found'],
    present: presentMeter,
    handle: ({ caller, params }) => getMeter(deps, caller, params.meter_id),
  }),
  operation({
    id: 'meters.usage',
    method: 'GET',
    path: '/meters/:meter_id/usage',
    summary: 'Get usage',
    description: 'Returns the usage of a customer in a period, in total and by dimensions.',
    params: MeterPath,
    query: UsageQuery,
    response: UsageObject,
    errors: ['not_found'],
    present: presentUsage,
    handle: ({ caller, params, query }) => readMeterUsage(deps, caller, params.meter_id, query),
  }),
  operation({
    id: 'meters.report',
    method: 'GET',
    path: '/meters/:meter_id/report',
    summary: 'Get a usage report',
    description:
      'Returns the usage of a meter in a period by hour or by day, by customer and by dimensions, of all customers or of one.',
    params: MeterPath,
    query: ReportQuery,
    response: MeterReportObject,
    errors: ['not_found'],
    present: presentReport,
    handle: ({ caller, params, query }) => readMeterReport(deps, caller, params.meter_id, query),
  }),
]

export const meterEventOperations = (deps: Deps) => {
  const record = createRecorder(deps)
  return [
    operation({
      id: 'meter_events.create',
      method: 'POST',
      path: '/meter-events',
      summary: 'Record usage events',
      description:
        'Records up to 1,000 events. They are stored before the response is sent. An event whose id was recorded before is not counted again, so a request can be repeated. Invalid events are listed in `errors`; the others are recorded.',
      body: CreateMeterEvents,
      maxBodyBytes: 1_048_576,
      response: MeterEventBatchObject,
      present: presentRecorded,
      handle: ({ caller, body }) => record(caller, body.events),
    }),
    operation({
      id: 'meter_events.cancel',
      method: 'POST',
      path: '/meter-events/cancel',
      summary: 'Cancel usage events',
      description:
        'Cancels up to 1,000 events that were recorded by mistake. They are no longer counted, and their ids are not counted again. If their period was billed, the next invoice contains the correction. Unknown events are listed in `errors`; the others are cancelled.',
      body: CancelMeterEvents,
      maxBodyBytes: 1_048_576,
      response: MeterEventCancellationObject,
      present: presentCancelled,
      handle: ({ caller, body }) => cancelMeterEvents(deps, caller, body.events),
    }),
  ]
}
