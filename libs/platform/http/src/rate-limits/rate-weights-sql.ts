/**
 * SQL for the read store's migrations: the function of `rateWindowsMigration` for requests that count as several, over the same tables. The
 * previous function is kept for replicas that are not upgraded yet.
 */
export const rateWeightsMigration = `
-- Counts requests in their order. subjects are distinct and sorted; firsts and seconds are indexes into them for each request,
-- 0 where it asks for no second one, which is counted only when the first admits it. Weights are cut to the limit.
-- Answers, for each request, what is left of both windows (null: not asked; refused: -1 less what is left), and when there is room
-- for one that was refused; and when each subject's oldest slot leaves.
create function take_from_rate_windows(
  subjects text[], limits integer[], firsts integer[], seconds integer[], first_weights integer[], second_weights integer[],
  out first_left integer[], out second_left integer[], out wait_ms integer[], out reset_ms integer[]
) language plpgsql as $$
declare
  now_ms bigint;
  now_slot bigint;
  -- In the order of subjects; the names differ from those of the columns.
  counts integer[] := '{}';
  slots bigint[] := '{}';
  in_slots integer[] := '{}';
  oldests bigint[] := '{}';
  -- How many places were waited for last, and the slot whose end frees them.
  awaited integer[] := array_fill(0, array[cardinality(subjects)]);
  free_slots bigint[] := array_fill(0::bigint, array[cardinality(subjects)]);
  w record;
  gone integer;
  -- The subject that is asked, its weight, and how many places are missing.
  p integer;
  weight integer;
  missing integer;
  free_slot bigint;
begin
  -- Creates what is missing and locks the rest, in one order everywhere, so that calls never wait for each other in a circle.
  insert into rate_windows (subject) select unnest(subjects)
    on conflict (subject) do update set used = rate_windows.used where false;
  now_ms := floor(extract(epoch from clock_timestamp()) * 1000);
  now_slot := now_ms / 100;

  for w in select r.* from unnest(subjects) with ordinality s(subject, place) join rate_windows r using (subject) order by s.place loop
    if w.slot > now_slot then
      -- The clock was set back; what it counted ahead of time cannot be placed any more.
      delete from rate_window_slots s where s.subject = w.subject;
      w.used := 0; w.slot_used := 0;
    end if;
    if w.slot <> now_slot then
      if w.slot_used > 0 then
        insert into rate_window_slots values (w.subject, w.slot, w.slot_used);
      end if;
      w.slot := now_slot; w.slot_used := 0;
    end if;
    if w.used > 0 and w.oldest < now_slot - 600 then
      with left_the_window as (
        delete from rate_window_slots s where s.subject = w.subject and s.slot < now_slot - 600 returning s.used
      ) select coalesce(sum(l.used), 0) into gone from left_the_window l;
      w.used := w.used - gone;
      select coalesce(min(s.slot), now_slot) into w.oldest from rate_window_slots s where s.subject = w.subject;
    end if;
    if w.used = 0 then w.oldest := now_slot; end if;
    counts := counts || w.used; slots := slots || w.slot; in_slots := in_slots || w.slot_used; oldests := oldests || w.oldest;
  end loop;

  first_left := '{}'; second_left := '{}'; wait_ms := '{}'; reset_ms := '{}';
  for i in 1 .. cardinality(firsts) loop
    first_left[i] := null; second_left[i] := null; wait_ms[i] := 0;
    for step in 1 .. 2 loop
      p := case step when 1 then firsts[i] else seconds[i] end;
      exit when p = 0;
      weight := least(case step when 1 then first_weights[i] else second_weights[i] end, limits[p]);
      missing := counts[p] + weight - limits[p];
      if missing > 0 then
        if step = 1 then first_left[i] := -1 - greatest(0, limits[p] - counts[p]);
        else second_left[i] := -1 - greatest(0, limits[p] - counts[p]); end if;
        if missing = 1 then
          wait_ms[i] := (oldests[p] + 601) * 100 - now_ms;
        else
          if awaited[p] <> missing then
            select coalesce(min(f.slot), now_slot) into free_slot from (
              select s.slot, sum(s.used) over (order by s.slot) as freed from rate_window_slots s where s.subject = subjects[p]
            ) f where f.freed >= missing;
            awaited[p] := missing; free_slots[p] := free_slot;
          end if;
          wait_ms[i] := (free_slots[p] + 601) * 100 - now_ms;
        end if;
        exit;
      end if;
      counts[p] := counts[p] + weight; in_slots[p] := in_slots[p] + weight;
      if step = 1 then first_left[i] := limits[p] - counts[p];
      else second_left[i] := limits[p] - counts[p]; end if;
    end loop;
  end loop;

  update rate_windows r set used = n.used, slot = n.slot, slot_used = n.slot_used, oldest = n.oldest
    from unnest(subjects, counts, slots, in_slots, oldests) n(subject, used, slot, slot_used, oldest)
    where r.subject = n.subject;
  for i in 1 .. cardinality(subjects) loop
    reset_ms[i] := (oldests[i] + 601) * 100 - now_ms;
  end loop;
end $$;
`;
