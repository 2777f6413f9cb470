export {
  noticeBody,
  noticeTypes,
  payloadKinds,
  type Notice,
  type NoticeData,
  type NoticeType,
  type PayloadKind,
} from './notice';
export { canTell, Notices, NoticesModule, toldCategories } from './notices';
