/* <time.h>: the calendar, and clocks. A `struct tm` begins with nine numbers; glibc's has the zone behind them. */

long __VERIFIER_nondet_long(void);
int __VERIFIER_nondet_int(void);
void __set_errno(int reason);

struct calendar {
  int second, minute, hour, day, month, year, weekday, yearday, summer;
  long offset;
  const char *zone;
};

static char utc[] = "GMT";

enum { TOO_LARGE = 75, DAY = 86400 };

static long long floor_of(long long a, long long b) { return a / b - (a % b < 0); }

/* Days from 1970-01-01 to the first of March of a year, where years begin with March. */
static long long days_before(long long year) {
  return 365 * year + floor_of(year, 4) - floor_of(year, 100) + floor_of(year, 400) - 719468;
}

/* 1 if the year fits. */
static int break_down(long long time, struct calendar *to) {
  static const int before[] = {0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337};
  long long days = floor_of(time, DAY), rest = time - days * DAY;
  long long year = floor_of(days + 719468, 146097) * 400;
  year += (days - days_before(year)) / 366;
  while (days >= days_before(year + 1))
    year++;
  int day = (int)(days - days_before(year)), month = 11;
  while (before[month] > day)
    month--;
  int weekday = (int)((days + 4) % 7);
  long long civil = month < 10 ? year : year + 1;
  if (civil - 1900 > 2147483647ll || civil - 1900 < -2147483647ll - 1)
    return 0;
  to->second = (int)(rest % 60);
  to->minute = (int)(rest / 60 % 60);
  to->hour = (int)(rest / 3600);
  to->day = day - before[month] + 1;
  to->month = month < 10 ? month + 2 : month - 10;
  to->year = (int)(civil - 1900);
  to->weekday = weekday < 0 ? weekday + 7 : weekday;
  int leap = (civil % 4 == 0 && civil % 100 != 0) || civil % 400 == 0;
  to->yearday = month < 10 ? day + 59 + leap : day - 306;
  to->summer = 0;
  to->offset = 0;
  to->zone = utc;
  return 1;
}

struct calendar *gmtime_r(const long *time, struct calendar *to) {
  if (!break_down(*time, to)) {
    __set_errno(TOO_LARGE);
    return 0;
  }
  return to;
}

static int from_to(int least, int most) {
  int n = __VERIFIER_nondet_int();
  return n < least ? least : n > most ? most : n;
}

static char zone_name[16];

/* What the zone makes of a time is not computed. */
struct calendar *localtime_r(const long *time, struct calendar *to) {
  *time;
  __tour_uncomputed();
  if (__VERIFIER_nondet_int()) {
    __set_errno(TOO_LARGE);
    return 0;
  }
  to->second = from_to(0, 60);
  to->minute = from_to(0, 59);
  to->hour = from_to(0, 23);
  to->day = from_to(1, 31);
  to->month = from_to(0, 11);
  to->year = __VERIFIER_nondet_int();
  to->weekday = from_to(0, 6);
  to->yearday = from_to(0, 365);
  to->summer = from_to(-1, 1);
  to->offset = __VERIFIER_nondet_long();
  for (int i = 0; i < 15; i++)
    zone_name[i] = (char)__VERIFIER_nondet_int();
  to->zone = zone_name;
  return to;
}

/* Both have the same object. */
static struct calendar shared;

struct calendar *gmtime(const long *time) { return gmtime_r(time, &shared); }

struct calendar *localtime(const long *time) { return localtime_r(time, &shared); }

/* What the fields say, in whatever range they are; they are brought into their ranges. */
long timegm(struct calendar *from) {
  long long month = from->month, year = from->year + 1900ll + floor_of(month, 12);
  month -= floor_of(month, 12) * 12;
  static const int before[] = {306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275};
  long long days = days_before(month < 2 ? year - 1 : year) + before[month] + from->day - 1ll;
  long long time = days * DAY + from->hour * 3600ll + from->minute * 60ll + from->second;
  struct calendar normal;
  if ((long)time != time || !break_down(time, &normal)) {
    __set_errno(TOO_LARGE);
    return -1;
  }
  *from = normal;
  return (long)time;
}

/* Seconds and nanoseconds; 0 if the base is none. */
int timespec_get(long *to, int base) {
  if (base != 1)
    return 0;
  long now = __VERIFIER_nondet_long();
  if (now < 0 || now > 9223372035ll)
    __tour_uncomputed_int();
  to[0] = now < 0 ? 0 : now;
  to[1] = (long)((unsigned)__VERIFIER_nondet_int() % 1000000000);
  return base;
}
