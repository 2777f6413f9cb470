export { attributesOf, OtlpReceiver, pathOf, type ReceivedSpan } from './otlp-receiver';
