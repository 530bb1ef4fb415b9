import type * as z from 'zod'
import type {
  AccountId,
  ChannelId,
  Message,
  MessageId,
  OttMessage,
  OttMessageId,
  ScheduledMessage,
  ScheduledMessageId,
  TemplateId,
  TenantId,
} from '../../../contract/domain.ts'
import { count, flag, id, instant, number, reference, statusWord, text, recordOf } from './fields.ts'
import { notAnErrorOfMessage } from './message-text.ts'

/** Spec, "Message (detail)"; also for GET /messages, whose items the spec doesn't show. */
export const messageWire: z.ZodType<Message> = recordOf({
  id: id<MessageId>(),
  tenant_id: reference<TenantId>(),
  account_id: reference<AccountId>(),
  user_id: text,
  batch_id: text,
  from: text,
  to: text,
  body: text,
  status: statusWord,
  part_count: count,
  sell_price: number,
  cost_price: number,
  connection_id: text,
  provider_message_id: text,
  priority: text,
  is_encrypted: flag,
  sent_at: instant,
  delivered_at: instant,
  created_at: instant,
  updated_at: instant,
})

/** Spec, "OTT message". */
export const ottMessageWire: z.ZodType<OttMessage> = notAnErrorOfMessage.pipe(
  recordOf({
    id: id<OttMessageId>(),
    tenant_id: reference<TenantId>(),
    channel_id: reference<ChannelId>(),
    template_id: reference<TemplateId>(),
    to: text,
    body: text,
    status: statusWord,
    provider_message_id: text,
    created_at: instant,
  }),
)

/** Spec, "Scheduled message". */
export const scheduledMessageWire: z.ZodType<ScheduledMessage> = recordOf({
  id: id<ScheduledMessageId>(),
  tenant_id: reference<TenantId>(),
  account_id: reference<AccountId>(),
  from_number: text,
  to_number: text,
  body: text,
  status: statusWord,
  scheduled_at: instant,
  created_at: instant,
})
